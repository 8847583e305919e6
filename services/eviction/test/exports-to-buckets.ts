import { randomUUID } from 'node:crypto'
import { GetObjectCommand, ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { createJob } from '@tideport/bulk-jobs/jobs/account-job'
import { sealCredentials } from '@tideport/export/bucket/bucket-request'
import { must } from '@tideport/file-lifecycle/testing/bundle'
import { setupEviction } from '@tideport/file-lifecycle/testing/evict-bundle'
import { withProcesses } from '@tideport/file-lifecycle/testing/processes'
import { createSecretBox } from '@tideport/service-kit/secrets/secret-box'
import { createBucket } from '@tideport/testing/s3'
import { waitFor } from '@tideport/testing/wait-for'

const main = new URL('../src/main.ts', import.meta.url)
export const key = Buffer.alloc(32, 5)
export const FOLDER = 'mine/export/'

/** Eviction, accounts with files, and a target bucket for exports. */
export async function setup() {
  const stack = new AsyncDisposableStack()
  const env = { SETTLE_SECONDS: '1', EXPORT_SECRET_KEYS: key.toString('base64') }
  const t = stack.use(await withProcesses(main, await setupEviction(), { env }))
  const theirs = stack.use(await createBucket())
  /** Requests an export with parts of 16 MiB, by default to `theirs`. Each account has its own folder. */
  async function ask(endpoint = theirs.settings.endpoint, accountId = t.accountId) {
    const { region, bucket, accessKeyId, secretAccessKey } = theirs.settings
    const id = randomUUID()
    const where = {
      endpoint,
      region,
      bucket,
      forcePathStyle: true,
      folder: accountId === t.accountId ? FOLDER : `${accountId}/export/`,
    }
    const job = {
      ...{ id, accountId, kind: 'export' as const, vaultId: null, toVaultId: null, openMax: 9 },
      request: { bucket: where, partBytes: 16 * 1024 ** 2, quotaBytes: 0, openUploadsMax: 100 },
      sealedSecret: sealCredentials(createSecretBox([key]), { accountId, id }, { accessKeyId, secretAccessKey }),
    }
    return must(await t.db.transaction().execute((trx) => createJob(trx, job)))
  }
  async function anotherAccount() {
    const id = randomUUID()
    await t.database.sql('insert into account (id) values ($1)', [id])
    return id
  }
  const job = async (id: string) => must((await t.database.sql('select * from account_job where id = $1', [id]))[0])
  return {
    ...t,
    ...{ theirs, ask, anotherAccount, job },
    async startOver() {
      await t.startOver()
      theirs.dispose()
      Object.assign(theirs, await createBucket())
    },
    over: (id: string) =>
      waitFor(async () => (await job(id)).finished_at !== null, { what: 'the job to be over', timeoutMs: 120_000 }),
    forgotten: (id: string) =>
      waitFor(async () => (await job(id)).sealed_secret === null, { what: 'the credentials to be gone', timeoutMs: 60_000 }), // biome-ignore format: one line
    async uploads() {
      const { Uploads = [] } = await theirs.client.send(new ListMultipartUploadsCommand({ Bucket: theirs.bucket }))
      return Uploads.map(({ Key }) => Key)
    },
    async objects() {
      const { Contents = [] } = await theirs.client.send(new ListObjectsV2Command({ Bucket: theirs.bucket }))
      return Contents.map(({ Key = '' }) => Key)
    },
    async text(name: string) {
      const { Body } = await theirs.client.send(new GetObjectCommand({ Bucket: theirs.bucket, Key: name }))
      return (await Body?.transformToString()) ?? ''
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
