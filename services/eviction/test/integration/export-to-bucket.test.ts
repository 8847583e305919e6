import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { GetObjectCommand, ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { cancelJob, seenJobs } from '@tideport/file-lifecycle/many/account-job'
import { sealCredentials } from '@tideport/file-lifecycle/many/bucket/bucket-request'
import { createJob } from '@tideport/file-lifecycle/many/create-job'
import { must } from '@tideport/file-lifecycle/test/bundle'
import { setupEviction } from '@tideport/file-lifecycle/test/evict-bundle'
import { spawnWorker } from '@tideport/file-lifecycle/test/spawn-worker'
import { createSecretBox } from '@tideport/service-kit/secrets/secret-box'
import { createFailpoints } from '@tideport/testing/failpoints'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { startNats } from '@tideport/testing/nats'
import { createBucket } from '@tideport/testing/s3'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'

const main = new URL('../../src/main.ts', import.meta.url)
const key = Buffer.alloc(32, 5)
const FOLDER = 'mine/export/'

async function setup() {
  const stack = new AsyncDisposableStack()
  const nats = stack.use(await startNats())
  const failpoints = stack.use(await createFailpoints())
  const { settings } = stack.use(await createBucket())
  const t = stack.use(await setupEviction({ settings }))
  const theirs = stack.use(await createBucket())
  const surroundings = {
    ...{ databaseUrl: t.database.url, natsUrl: nats.url, failpointDir: failpoints.directory, store: settings },
    networks: { embedded: { dir: t.directory.path } },
  }
  /** An export of 16 MiB a part, to their bucket unless told. */
  async function ask(endpoint = theirs.settings.endpoint, accountId = t.accountId) {
    const { region, bucket, accessKeyId, secretAccessKey } = theirs.settings
    const id = randomUUID()
    const where = { endpoint, region, bucket, forcePathStyle: true, folder: FOLDER }
    const job = {
      ...{ id, accountId, kind: 'export' as const, vaultId: null, toVaultId: null, openMax: 9 },
      request: { bucket: where, partBytes: 16 * 1024 ** 2, quotaBytes: 0, openUploadsMax: 100 },
      sealedSecret: sealCredentials(createSecretBox([key]), { accountId, id }, { accessKeyId, secretAccessKey }),
    }
    return must(await t.db.transaction().execute((trx) => createJob(trx, job)))
  }
  const job = async (id: string) => must((await t.database.sql('select * from account_job where id = $1', [id]))[0])
  return Object.assign(t, {
    ...{ failpoints, theirs, ask, job },
    start: () => spawnWorker(main, surroundings, { SETTLE_SECONDS: '1', EXPORT_SECRET_KEYS: key.toString('base64') }),
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
  })
}

it('an export to a bucket goes on where a process was killed with -9, and leaves nothing half there', {
  timeout: 300_000,
}, async () => {
  await using t = await setup()
  const large = 'large '.repeat(4_000_000)
  const sources = await Promise.all(['one', large, 'two'].map((bytes) => t.hotFile(bytes)))
  const { id } = await t.ask()
  const points = [
    ...['export.upload-begun', 'export.object-complete', 'export.before-commit', 'many.before-commit'],
    ...['export.part-sent', 'export.part-written', 'export.file-goes-on'],
  ]
  for (const point of points) {
    await t.failpoints.kill(point)
    await using killed = await t.start()
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(await t.job(id)).toMatchObject({ state: 'running', sealed_secret: expect.any(String) })
    await t.database.sql('update account_job set claimed_until = now()')
  }
  await using _worker = await t.start()
  await t.over(id)
  expect(await t.job(id)).toMatchObject({ state: 'done', done: '3', failed: '0', sealed_secret: null })
  expect(await t.uploads()).toEqual([])
  const objects = await t.objects()
  const manifests = objects.filter((name) => name.includes('manifest-'))
  const lines = (await Promise.all(manifests.map((name) => t.text(name)))).flatMap((text) => text.trimEnd().split('\n'))
  const told = lines.map((line) => JSON.parse(line))
  const files = told.filter(({ type }) => type === 'file')
  expect(files.map(({ id: file }) => file).toSorted()).toEqual(sources.map(({ id: file }) => file).toSorted())
  expect(told.at(-1)).toMatchObject({ type: 'end', files: 3, bytes: large.length + 6 })
  const named = new Set(files.flatMap(({ parts }) => parts.map(({ name }: { name: string }) => `${FOLDER}${name}`)))
  expect(objects.filter((name) => name.endsWith('.car'))).toEqual([...named])
  expect(objects.filter((name) => name.includes('test'))).toEqual([])
})

it('cancelled in the midst of an upload, also when its process was killed before, it leaves no upload and no credentials', {
  timeout: 120_000,
}, async () => {
  await using t = await setup()
  await t.hotFile('large '.repeat(4_000_000))
  const cancel = (id: string) => cancelJob(t.db, id, seenJobs(t.accountId, { vaultIds: null }))
  const first = await t.ask()
  await t.failpoints.pause('export.part-sent')
  await using worker = await t.start()
  await waitFor(async () => (await t.uploads()).length > 0, { what: 'an upload to be open', timeoutMs: 60_000 })
  expect(await cancel(first.id)).toMatchObject({ state: 'cancelled' })
  await t.forgotten(first.id)
  expect(await t.uploads()).toEqual([])
  await t.failpoints.release('export.part-sent')

  const second = await t.ask()
  // At another point than the one before, which whoever was paused there may not have left yet.
  await t.failpoints.kill('export.upload-begun')
  expect(await worker.ended).toMatchObject({ signal: 'SIGKILL' })
  expect(await t.uploads()).not.toEqual([])
  await cancel(second.id)
  const queued = await t.ask()
  expect(await cancel(queued.id)).toMatchObject({ state: 'cancelled', sealedSecret: null })
  await using _next = await t.start()
  await t.forgotten(second.id)
  expect(await t.uploads()).toEqual([])
  expect(JSON.stringify(await t.objects())).not.toContain('.car')
})

it('a bucket that is down for a while is tried again, and nothing is missing then', { timeout: 120_000 }, async () => {
  await using t = await setup()
  await t.hotFile('bytes')
  await using front = await startFrontOfStore(t.theirs.settings)
  let refused = 0
  front.answerBy(({ url = '' }, response) => {
    if (refused >= 4 || !url.includes('part-000002.car')) return false
    refused += 1
    return response.writeHead(503, { 'content-type': 'application/xml' }).end('<Error><Code>SlowDown</Code></Error>') !== null // biome-ignore format: one line
  })
  const { id } = await t.ask(front.settings.endpoint)
  await using _worker = await t.start()
  await t.over(id)
  expect([refused, await t.job(id)]).toMatchObject([4, { state: 'done', done: '1' }])
})

const endless: RequestListener = (_request, response) => {
  response.writeHead(403, { 'content-type': 'application/xml' })
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}
const xml = { 'content-type': 'application/xml' }
const hostile: [what: string, answer: RequestListener, sentence: RegExp][] = [
  ['hangs', () => undefined, /did not answer in time/],
  ['redirects', (_request, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(), /redirect.*307/], // biome-ignore format: a table
  ['is a web page', (_request, response) => response.end('<html>hello</html>'), /no answer of S3/],
  ['does not end', endless, /no answer of S3|in time/],
  [
    'repeats what it was sent',
    ({ headers }, response) =>
      response.writeHead(403, xml).end(`<Error><Code>Access${headers.authorization}</Code><Message>${JSON.stringify(headers)}</Message></Error>`), // biome-ignore format: a table
    /^No test object could be written: The endpoint refused the credentials \(403\)$/,
  ],
  [
    'fails after it said 200',
    ({ method, url = '' }, response) => {
      if (method === 'PUT') return void response.writeHead(200, { etag: '"e"' }).end()
      if (url.includes('uploadId')) return void response.end('<Error><Code>InternalError</Code></Error>')
      return void response.end('<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>')
    },
    /could not do it now \(503 InternalError\)/,
  ],
]

it('whatever an endpoint does, its export ends with a sentence, no secret gets out, and other jobs go on meanwhile', {
  timeout: 120_000,
}, async () => {
  await using t = await setup()
  await using servers = new AsyncDisposableStack()
  const jobs = []
  for (const [what, answer, sentence] of hostile) {
    const server = servers.adopt(createServer(answer), closeAtOnce)
    const port = await listenOnLoopback(server)
    const accountId = randomUUID()
    await t.database.sql('insert into account (id) values ($1)', [accountId])
    jobs.push({ what, sentence, ...(await t.ask(`http://127.0.0.1:${port}`, accountId)) })
  }
  await t.hotFile('bytes')
  const good = await t.ask()
  await using worker = await t.start()
  for (const { id } of [good, ...jobs]) await t.over(id)
  expect(await t.job(good.id)).toMatchObject({ state: 'done' })
  for (const { id, what, sentence } of jobs) {
    const { state, error, error_code: code, sealed_secret: sealed } = await t.job(id)
    expect({ what, state, code, sealed, error }).toEqual({
      ...{ what, state: 'failed', code: 'bucket_failed', sealed: null, error: expect.stringMatching(sentence) },
    })
  }
  expect(worker.printed()).not.toContain(t.theirs.settings.secretAccessKey)
  expect(worker.printed()).not.toContain('AWS4-HMAC-SHA256')
})
