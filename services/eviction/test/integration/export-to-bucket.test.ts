import { createServer, type RequestListener } from 'node:http'
import { cancelJob, seenJobs } from '@tideport/bulk-jobs/jobs/account-job'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { isFullRun } from '@tideport/testing/full-run'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'
import { FOLDER, setup } from '../exports-to-buckets.ts'

const t = setUpOnce(setup)

it('an export to a bucket continues after kill -9 and leaves no incomplete objects', async () => {
  const large = 'large '.repeat(4_000_000)
  const sources = await Promise.all(['one', large, 'two'].map((bytes) => t.hotFile(bytes)))
  const { id } = await t.ask()
  const points = [
    ...['export.upload-begun', 'export.before-commit', 'export.part-sent', 'export.file-goes-on'],
    ...(isFullRun ? ['export.object-complete', 'many.before-commit', 'export.part-written'] : []),
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

it('an export cancelled during an upload leaves no upload and no credentials, even after a crash', async () => {
  await t.hotFile('large '.repeat(4_000_000))
  const cancel = (id: string) =>
    cancelJob(t.db, id, seenJobs(t.accountId, { vaultIds: null }), { auditRetentionSeconds: 60 })
  const first = await t.ask()
  await t.failpoints.pause('export.part-sent')
  await using worker = await t.start()
  await waitFor(async () => (await t.uploads()).length > 0, { what: 'an upload to be open', timeoutMs: 60_000 })
  expect(await cancel(first.id)).toMatchObject({ state: 'cancelled' })
  await t.forgotten(first.id)
  expect(await t.uploads()).toEqual([])
  await t.failpoints.release('export.part-sent')

  const second = await t.ask()
  // Uses another failpoint, because the earlier process may still be paused at the first one.
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

it('an export retries a bucket after an outage and is complete', async () => {
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
  // Skips the pauses between the attempts.
  const hurry = 'update account_job set due_at = now() where id = $1 and due_at > now() and claimed_until is null'
  await waitFor(async () => (await t.database.sql(hurry, [id])) && (await t.job(id)).finished_at !== null, {
    what: 'the job to be over',
  })
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
  ['hangs', () => undefined, /did not respond in time/],
  ['redirects', (_request, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(), /redirect.*307/], // biome-ignore format: a table
  ['is a web page', (_request, response) => response.end('<html>hello</html>'), /not an S3 response/],
  ['does not end', endless, /not an S3 response|in time/],
  [
    'repeats what it was sent',
    ({ headers }, response) =>
      response.writeHead(403, xml).end(`<Error><Code>Access${headers.authorization}</Code><Message>${JSON.stringify(headers)}</Message></Error>`), // biome-ignore format: a table
    /^The test object could not be written: The endpoint rejected the credentials \(403\)$/,
  ],
  [
    'fails after it said 200',
    ({ method, url = '' }, response) => {
      if (method === 'PUT') return void response.writeHead(200, { etag: '"e"' }).end()
      if (url.includes('uploadId')) return void response.end('<Error><Code>InternalError</Code></Error>')
      return void response.end('<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>')
    },
    /cannot handle the request now \(503 InternalError\)/,
  ],
]

it('a faulty endpoint fails its export with a message, leaks no secret, and delays no other jobs', async () => {
  await using servers = new AsyncDisposableStack()
  const jobs = []
  for (const [what, answer, sentence] of hostile) {
    const server = servers.adopt(createServer(answer), closeAtOnce)
    const port = await listenOnLoopback(server)
    jobs.push({ what, sentence, ...(await t.ask(`http://127.0.0.1:${port}`, await t.anotherAccount())) })
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
