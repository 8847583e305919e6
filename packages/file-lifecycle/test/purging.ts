import { buffer } from 'node:stream/consumers'
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { createBucket } from '@tideport/testing/s3'
import { purgeConfirmed } from '../src/removal/purge.ts'
import { purgeFile } from '../src/removal/purge-file.ts'
import { restoreFile, trashFile } from '../src/removal/trash.ts'
import { restoreVault, trashVault } from '../src/removal/trash-vault.ts'
import { nameOf } from '../src/state/copy-transitions.ts'
import { isNamed } from '../src/state/file-copies.ts'
import type { FileRow } from '../src/state/tables.ts'
import { log, must, never } from './bundle.ts'
import { setupWorker } from './worker-bundle.ts'

/** A worker's bundle that can purge, and can list everything that a file has outside Postgres. */
export async function setupPurging(networkNames?: readonly string[]) {
  const stack = new AsyncDisposableStack()
  const bucket = stack.use(await createBucket())
  const t = stack.use(await setupWorker({ settings: bucket.settings, ...(networkNames && { networkNames }) }))
  const Bucket = bucket.bucket

  /** One pass, as the periodic task runs it. */
  const pass = (file: Pick<FileRow, 'id'>) => purgeFile({ ...t, log }, file.id, never)
  const settle = (file: Pick<FileRow, 'id'>) =>
    t.assign(file.id, 'cleanup_after = now(), purge_due_at = now(), claimed_until = null')

  const own = ({ id, accountId }: FileRow) => ({ fileId: id, accountId })
  /** Permanent deletion by the owner, before the first pass. */
  const beginPurge = async (file: FileRow) =>
    must(await purgeConfirmed(t.db, own(file), { settleSeconds: 3600, networks: t.networks }))

  return Object.assign(t, {
    bucket,
    beginPurge,
    trash: async (file: FileRow) =>
      must(await trashFile(t.db, own(file), { retentionSeconds: 60, networks: t.networks })),
    restore: async (file: FileRow) =>
      must(await restoreFile(t.db, own(file), { evictWaitSeconds: 0, networks: t.networks })),
    trashVault: async (vaultId: string) =>
      must(await trashVault(t.db, { accountId: t.accountId, vaultId }, { force: true, retentionSeconds: 60 })),
    restoreVault: async (vaultId: string) => must(await restoreVault(t.db, { accountId: t.accountId, vaultId })),
    pass,
    /** Ends everything that may still run. */
    settle,
    /** Permanent deletion by the owner, with all passes. */
    async purge(file: FileRow): Promise<void> {
      await beginPurge(file)
      await pass(file)
      await settle(file)
      await pass(file)
    },
    /** Whether the row exists, also while it is purged. */
    exists: async (file: Pick<FileRow, 'id'>) =>
      (await t.database.sql('select 1 from file where id = $1', [file.id])).length > 0,
    /** Everything under the file's names in the store and in the network. */
    async traces({ id }: Pick<FileRow, 'id'>): Promise<string[]> {
      const Prefix = `hot/${id}/`
      const { Uploads = [] } = await bucket.client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))
      const { Contents = [] } = await bucket.client.send(new ListObjectsV2Command({ Bucket, Prefix }))
      const entries = (await t.directory.list()).filter((entry) => entry.includes(id))
      return [...Uploads.map(() => 'upload'), ...Contents.map(() => 'object'), ...entries]
    },
    /** The bytes of the file's own copy on the network. */
    async copyOf({ id }: Pick<FileRow, 'id'>): Promise<string> {
      const copy = await t.copy({ id })
      if (!isNamed(copy)) throw new Error('The copy was not named')
      return (await buffer(await t.network.open(nameOf(copy), { signal: never }))).toString()
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  })
}

export type PurgingBundle = Awaited<ReturnType<typeof setupPurging>>
