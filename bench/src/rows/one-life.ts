import { type ClaimedCopy, markProved, markStored, nameCopy } from '@tideport/file-lifecycle/state/copy-transitions'
import { createUpload } from '@tideport/file-lifecycle/state/create-upload'
import { guardedUpdate } from '@tideport/file-lifecycle/state/guarded-update'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { beginEvicting, markCold, markHot } from '@tideport/file-lifecycle/state/transitions'
import type { Writes } from '@tideport/file-lifecycle/state/writes'
import { cleanUpUpload, isCleanupDue } from '@tideport/file-lifecycle/upload/clean-up-upload'
import { beginCompleting, recordUploadId } from '@tideport/file-lifecycle/upload/open-uploads'
import { claimWhere } from '@tideport/file-lifecycle/work/claim-rows'
import { claimCopy, claimFile } from '@tideport/file-lifecycle/work/claim-step'
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

/** What is done to files by the statements of the services, for those of a call at once; answers them as they are then. */
type Phase = (writes: Writes, files: Files) => Promise<Files>

/** Of each, all at once. */
async function each<T, Done>(items: readonly T[], write: (item: T) => Promise<Done | null>): Promise<Done[]> {
  return (await Promise.all(items.map(write))).map((done) => {
    if (done === null) throw new Error('Something was refused')
    return done
  })
}

export async function request(writes: Writes, owners: readonly Owner[]): Promise<Files> {
  const created = await each(owners, (owner) =>
    createUpload(writes, {
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
  return await each(created, (file) =>
    recordUploadId(writes, file, { uploadId: uuidv7(), urlSeconds: 0, settleSeconds: 0 }),
  )
}

/** All behind the request, in their order. */
export const phases: Record<string, Phase> = {
  async confirm(writes, files) {
    const begun = await each(files, (file) => beginCompleting(writes, file, { settleSeconds: 0, lostSeconds: 900 }))
    return await each(begun, ({ file }) => markHot(writes, file, names))
  },

  async store(writes, files) {
    const claimed = await claim(writes, files, 'store')
    const blobId = `bafk${uuidv7()}`
    return await each(claimed, async (one) => {
      const file = await nameCopy(writes, one, { blobId, ref: { path: uuidv7() } })
      const held = { blobId, sha256: uuidv7(), billedBytes: 5, ...lease, hotRetentionSeconds: 0 }
      return file && (await markStored(writes, { ...one, file }, names, held))
    })
  },

  async prove(writes, files) {
    const claimed = await claim(writes, files, 'prove')
    const proved = await each(claimed, (one) => markProved(writes, one, { ...lease, checkSeconds: 86_400 }))
    const set = { evictDueAt: sql`now()` }
    return await each(proved, (file) => guardedUpdate(writes.db, { file, from: ['synced'], set, events: [] }))
  },

  async evict(writes, files) {
    const begun = await each(await each(files, ({ id }) => claimFile(writes, id, 'evict')), (file) =>
      beginEvicting(writes, file, names, { waitSeconds: 0 }),
    )
    const again = await each(begun, ({ id }) => claimFile(writes, id, 'evict'))
    return await each(again, (file) => markCold(writes, file, names))
  },
}

/** Once what was foreseen of the upload is over. */
export async function cleanUp(db: Kysely<FilesDb>, files: Files): Promise<void> {
  const claimed = await each(files, ({ id }) => claimWhere(db, id, isCleanupDue))
  await Promise.all(claimed.map((file) => cleanUpUpload({ db, hotTier: nothing }, file, never)))
}

async function claim(writes: Writes, files: Files, step: 'store' | 'prove'): Promise<ClaimedCopy[]> {
  return await each(files, ({ id }) => claimCopy(writes, { fileId: id, network }, step))
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
