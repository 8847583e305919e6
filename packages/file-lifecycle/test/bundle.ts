import { openHotTier } from '@tideport/hot-tier/hot-tier'
import { createBatching } from '@tideport/service-kit/batching/batching'
import { inTrace } from '@tideport/service-kit/context/request-context'
import { newTrace } from '@tideport/service-kit/context/trace-context'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createTestDatabase } from '@tideport/testing/postgres'
import { createBucket, type TestBucket } from '@tideport/testing/s3'
import { v7 as uuidv7 } from 'uuid'
import type { FileRow, FilesDb } from '../src/state/tables.ts'
import { batched } from '../src/state/writes.ts'
import { completeUpload } from '../src/upload/confirm.ts'
import { createUpload } from '../src/upload/create-upload.ts'
import { recordUploadId } from '../src/upload/upload-urls.ts'

export const log = createLogger({ service: 'test', level: 'silent' })
export const trace = newTrace()
export const never = new AbortController().signal
/** Retention of trashed and hot bytes, longer than any test. */
const lives = { settleSeconds: 60, trashRetentionSeconds: 3600 }
/** The networks of a configuration with only the embedded network. */
export const names = { required: ['embedded'], order: ['embedded'] }

const emptyTables = [
  ...['account_job', 'idempotency_key', 'event', 'link', 'usage_day', 'file', 'vault', 'account', 'taken_id', 'turn'],
  ...['completing', 'name_to_index', 'network_usage', 'network_usage_change', 'open_circuit', 'check_spending'],
  ...['stream_mark', 'stream_ack', 'stream_resend', 'operator_event', 'operator_run', 'key_spending'],
  ...['copy_walk', 'eviction_rate', 'file_statistics', 'usage_walk'],
]
  .map((table) => `delete from ${table}`)
  .concat(['copy_walk', 'eviction_rate', 'file_statistics'].map((table) => `insert into ${table} default values`))
  .concat(`insert into usage_walk (subject) values ('account'), ('vault')`)
  .join(';')

const insertOwner = ({ accountId, vaultId }: { accountId: string; vaultId: string }) =>
  `insert into account (id, vault_count) values ('${accountId}', 1);
   insert into vault (id, account_id, name, visibility, slug)
   values ('${vaultId}', '${accountId}', 'Photos', 'public', 'photos')`

/** A new database, a bucket, an account with a public vault, and the steps of an upload. */
export async function setup({
  settings,
  networkNames = names.required,
}: {
  settings?: TestBucket['settings']
  networkNames?: readonly string[]
} = {}) {
  const stack = new AsyncDisposableStack()
  const database = stack.use(
    await createTestDatabase({ schema: 'files', migrations: new URL('../migrations/', import.meta.url) }),
  )
  const db = stack.use(database.open<FilesDb>({ log }))
  const batching = createBatching()
  const writes = batched(db, batching)
  const bucket = settings ?? stack.use(await createBucket()).settings
  const hotTier = stack.use(
    openHotTier({
      s3Endpoint: bucket.endpoint,
      s3Region: bucket.region,
      s3Bucket: bucket.bucket,
      s3ForcePathStyle: true,
      awsAccessKeyId: bucket.accessKeyId,
      awsSecretAccessKey: bucket.secretAccessKey,
    }),
  )
  const networks = { required: networkNames, order: networkNames }
  async function newAccount() {
    const owner = { accountId: uuidv7(), vaultId: uuidv7() }
    await database.sql(insertOwner(owner))
    return owner
  }
  const { accountId, vaultId } = await newAccount()

  const request = (overrides: Partial<Parameters<typeof createUpload>[1]> = {}) =>
    createUpload(writes, {
      id: uuidv7(),
      accountId,
      vaultId,
      name: 'cat.png',
      mimeType: 'image/png',
      sizeBytes: 5,
      encryption: null,
      checksumDeclared: null,
      partSizeBytes: null,
      expirySeconds: 3600,
      quotaBytes: 0,
      openUploadsMax: 100,
      ...overrides,
    })

  type Owner = Partial<Awaited<ReturnType<typeof newAccount>>>

  async function begin(sizeBytes: number, owner: Owner = {}): Promise<{ file: FileRow; url: string }> {
    const created = must(await request({ sizeBytes, ...owner }))
    const uploadId = await hotTier.beginUpload(created.uploadKey, created.mimeType)
    const file = must(await recordUploadId(writes, created, { uploadId, urlSeconds: 900, settleSeconds: 60 }))
    const { uploadKey: key, mimeType, updatedAt: signedAt } = file
    const part = { key, uploadId, partNumber: 1, mimeType, sizeBytes, expiresSeconds: 900, signedAt }
    return { file, url: await hotTier.presignPart(part) }
  }

  const put = (url: string, body: string, type = 'image/png') =>
    fetch(url, { method: 'PUT', body, headers: { 'content-type': type } })

  const confirm = (file: FileRow, { waitMs = 30_000, lostSeconds = 900 } = {}) =>
    inTrace(trace, () =>
      completeUpload({ db, writes, hotTier, networks, confirmLostSeconds: lostSeconds, ...lives }, file, {
        waitMs,
        signal: never,
      }),
    )

  async function hotFile(body = 'hello', owner: Owner = {}): Promise<FileRow> {
    const { file, url } = await begin(Buffer.byteLength(body), owner)
    await put(url, body)
    const completion = await confirm(file)
    if (completion.outcome !== 'confirmed') throw new Error(`The upload ended as ${completion.outcome}`)
    return completion.file
  }

  const account = async () => (await database.sql('select * from account where id = $1', [accountId]))[0]
  const events = async (fileId: string) =>
    (
      await database.sql<{ type: string }>('select type from event where subject_id = $1 order by at, id', [fileId])
    ).map(({ type }) => type)

  return {
    database,
    db,
    batching,
    writes,
    hotTier,
    bucket,
    accountId,
    vaultId,
    newAccount,
    request,
    begin,
    put,
    confirm,
    hotFile,
    account,
    events,
    /** Deletes everything except the account and its vault. */
    startOver: () => database.sql(`${emptyTables}; ${insertOwner({ accountId, vaultId })}`),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

export function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('Expected a value')
  return value
}
