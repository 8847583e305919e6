import { type ClaimedCopy, markProved } from '@tideport/file-lifecycle/state/copy-transitions'
import { guardedUpdate } from '@tideport/file-lifecycle/state/guarded-update'
import { markFirstStored, nameCopies } from '@tideport/file-lifecycle/state/many-copies'
import { markAllHot } from '@tideport/file-lifecycle/state/mark-all-hot'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { beginEvicting, markCold } from '@tideport/file-lifecycle/state/transitions'
import { cleanUpUpload, isCleanupDue } from '@tideport/file-lifecycle/upload/clean-up-upload'
import { beginCompletingAll, recordUploadIds } from '@tideport/file-lifecycle/upload/open-uploads'
import { createUploads, type NewUpload } from '@tideport/file-lifecycle/upload/uploads'
import { claimCopiesOf, claimFile, claimWhere } from '@tideport/file-lifecycle/work/claim'
import { currentTrace } from '@tideport/service-kit/context/request-context'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'

const network = 'embedded'
const names = { required: [network], order: [network] }
const lease = { leaseExpiresAt: new Date(Date.now() + 180 * 86_400_000) }
/** The last phase waits for it. */
export const SETTLED_AFTER_SECONDS = 20

const nothing = { abortUploads: async () => {}, remove: async () => {} } as never
const never = new AbortController().signal

export interface Owner {
  accountId: string
  vaultId: string
}

type Files = FileRow[]

/** What is done to files, a few at a time, by the statements of the services; answers them as they are then. */
type Phase = (db: Kysely<FilesDb>, files: Files) => Promise<Files>

function all<T>(rows: readonly (T | null)[]): T[] {
  return rows.map((row) => {
    if (row === null) throw new Error('Something was refused')
    return row
  })
}

export async function request(db: Kysely<FilesDb>, owners: readonly Owner[]): Promise<Files> {
  const uploads = owners.map(
    (owner): NewUpload => ({
      ...owner,
      id: uuidv7(),
      name: `photo ${Math.random()}.jpg`,
      mimeType: 'image/jpeg',
      sizeBytes: 1000,
      encryption: null,
      checksumDeclared: null,
      partSizeBytes: null,
      expirySeconds: 86_400,
      settledAfterSeconds: SETTLED_AFTER_SECONDS,
      quotaBytes: 0,
      openUploadsMax: 1_000_000,
    }),
  )
  const files = await createUploads(db, uploads as [NewUpload, ...NewUpload[]], { unlessHeld: true })
  if (files.length < owners.length) throw new Error('Something was refused')
  const begun = files.map((file) => ({ file, uploadId: uuidv7() }))
  return all(await recordUploadIds(db, begun, { urlSeconds: 0, settleSeconds: 0 }))
}

/** All behind the request, in their order. */
export const phases: Record<string, Phase> = {
  async confirm(db, files) {
    const completing = all(
      await beginCompletingAll(
        db,
        files.map((file) => ({ file })),
        { settleSeconds: 0 },
      ),
    )
    const seen = completing.map((file) => ({ file, trace: currentTrace() }))
    return all(await markAllHot(db, seen, { ...names, unlessHeld: true }))
  },

  async store(db, files) {
    const claimed = await claim(db, files, 'store')
    const blob = () => ({ blobId: `bafk${uuidv7()}`, ref: { path: uuidv7() } })
    const named = claimed.map((one) => ({ claimed: one, written: blob() }))
    const again = all(await nameCopies(db, network, named))
    const stored = named.map(({ claimed: one, written: { blobId } }, index) => ({
      claimed: { ...one, file: again[index] as FileRow },
      written: { blobId, sha256: uuidv7(), ...lease, trace: currentTrace() },
    }))
    return all(await markFirstStored(db, network, stored, { ...names, hotRetentionSeconds: 0 }))
  },

  async prove(db, files) {
    const claimed = await claim(db, files, 'prove')
    const proved = all(await Promise.all(claimed.map((one) => markProved(db, one, { ...lease, checkSeconds: 86_400 }))))
    const set = sql`evict_due_at = now()`
    return all(await Promise.all(proved.map((file) => guardedUpdate(db, { file, from: ['synced'], set, events: [] }))))
  },

  async evict(db, files) {
    for (const round of [1, 2]) {
      const claimed = all(await Promise.all(files.map(({ id }) => claimFile(db, id, 'evict'))))
      const change = (file: FileRow) =>
        round === 1 ? beginEvicting(db, file, names, { waitSeconds: 0 }) : markCold(db, file, names)
      files = all(await Promise.all(claimed.map(change)))
    }
    return files
  },
}

/** Once what was foreseen of the upload is over. */
export async function cleanUp(db: Kysely<FilesDb>, files: Files): Promise<void> {
  const claimed = all(await Promise.all(files.map(({ id }) => claimWhere(db, id, isCleanupDue))))
  await Promise.all(claimed.map((file) => cleanUpUpload({ db, hotTier: nothing }, file, never)))
}

async function claim(db: Kysely<FilesDb>, files: Files, step: 'store' | 'prove'): Promise<ClaimedCopy[]> {
  return all(await claimCopiesOf(db, { fileIds: files.map(({ id }) => id), network }, step))
}

/** As the relay does it, with a broker that takes all. */
export async function publish(db: Kysely<FilesDb>): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      with batch as (
        select id from event where published_at is null and is_public and failed_at is null
          and (claimed_until is null or claimed_until <= now())
        order by at, id limit 200 for update skip locked
      )
      update event set claimed_until = now() + interval '15 seconds' where id in (select id from batch)
      returning id`.execute(db)
    if (rows.length === 0) return
    const ids = rows.map(({ id }) => id)
    await sql`
      update event set published_at = now(), claimed_until = null where id = any(${ids}::uuid[])`.execute(db)
  }
}
