import { randomUUID } from 'node:crypto'
import { request as forward } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import {
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { manifestLine } from '@tideport/contracts/public/manifest'
import { openCredentials } from '@tideport/export/bucket/bucket-request'
import { createSecretBox } from '@tideport/service-kit/secrets/secret-box'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { createBucket, type TestBucket } from '@tideport/testing/s3'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'
import { type Bundle, setup, sharedBundle } from '../bundle.ts'
import { clientOf } from '../client.ts'
import { finishJob } from '../exporting.ts'

const MIB = 1024 ** 2
const t = sharedBundle({ logLevel: 'trace' })

function targetOf({ settings }: TestBucket, more: object = {}) {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = settings
  return { type: 's3', endpoint, region, bucket, accessKeyId, secretAccessKey, ...more }
}

async function exporting(bundle = t) {
  const client = clientOf(bundle)
  const vault = await client.createVault('Mine', 'public')
  const jobs = (columns: string) =>
    bundle.database.sql(`select ${columns} from account_job where account_id = $1`, [client.accountId])
  const start = (target: object, headers = {}) =>
    client.call('POST', '/api/account/export', { json: { target }, headers })
  return { ...client, vault, jobs, start, finish: (id: string) => finishJob(bundle, client, id) }
}

async function objectsOf({ client, bucket }: TestBucket): Promise<Map<string, Buffer>> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
  const entries = Contents.map(async ({ Key = '' }) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
    return [Key, Buffer.from((await Body?.transformToByteArray()) ?? [])] as const
  })
  return new Map(await Promise.all(entries))
}

async function uploadsOf({ client, bucket }: TestBucket): Promise<string[]> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
  return Uploads.map(({ Key = '' }) => Key)
}

/** All rows of the database as text. */
async function dumpOf(t: Bundle): Promise<string> {
  const tables = await t.database.sql<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'files'`,
  )
  const rows = await Promise.all(tables.map(({ name }) => t.database.sql(`select * from ${name}`)))
  return JSON.stringify(rows)
}

it('an export to a bucket writes a manifest and CARs to a new folder, then deletes the credentials', async () => {
  using mine = await createBucket()
  await mine.client.send(new PutObjectCommand({ Bucket: mine.bucket, Key: 'backups/other', Body: 'mine' }))
  const owner = await exporting()
  const large = 'large '.repeat(2_800_000)
  await owner.hotFile(large, { name: 'large' })
  await owner.hotFile('small', { name: 'small' })
  const { status, body } = await owner.start(targetOf(mine, { prefix: 'backups' }))
  const [, folder, end] = /^s3:\/\/[^/]+\/(backups\/export-\d{4}-\d\d-\d\d-(.{12})\/)$/.exec(body.to) ?? []
  expect([status, end, body.toVaultId]).toEqual([201, body.id.slice(-12), null])
  const log = (await owner.call('GET', '/api/account/file-events?kind=account.export_started')).body.events
  expect(log).toMatchObject([{ subject: 'account', subjectId: owner.accountId, details: { to: body.to } }])
  const [{ sealed_secret: sealed = '' } = {}] = await owner.jobs('sealed_secret')
  const box = createSecretBox([Buffer.alloc(32, 8)])
  const { accessKeyId, secretAccessKey } = mine.settings
  const of = { accountId: owner.accountId, id: body.id }
  expect(openCredentials(box, of, sealed)).toEqual({ accessKeyId, secretAccessKey })
  expect(() => openCredentials(box, { ...of, id: randomUUID() }, sealed)).toThrow()
  expect(await dumpOf(t)).not.toContain(secretAccessKey)

  expect(await owner.finish(body.id)).toMatchObject({ kind: 'export', state: 'done', done: 2, failed: 0 })
  const objects = await objectsOf(mine)
  const named = ['manifest-000001.ndjson', 'manifest-000002.ndjson', 'part-000002.car'].map(
    (name) => `${folder}${name}`,
  )
  expect([...objects.keys()].toSorted()).toEqual([...named, 'backups/other'].toSorted())
  expect(await uploadsOf(mine)).toEqual([])
  const lines = named.slice(0, 2).flatMap((name) => objects.get(name)?.toString().trimEnd().split('\n') ?? [])
  const told = lines.map((line) => manifestLine.parse(JSON.parse(line)))
  expect(told.at(-1)).toEqual({ type: 'end', vaults: 2, files: 2, bytes: large.length + 5 })
  const car = objects.get(named[2] as string) as Buffer
  const [part] = told.flatMap((line) => (line.type === 'file' && line.name === 'small' ? (line.parts ?? []) : []))
  expect(car.subarray(part?.offset, (part?.offset ?? 0) + (part?.length ?? 0)).toString()).toContain('small')
  const dump = await dumpOf(t)
  for (const secret of [secretAccessKey, sealed]) expect(dump).not.toContain(secret)
  expect(JSON.stringify(t.lines)).not.toContain(secretAccessKey)
})

it('a wrong target fails immediately with a helpful message and without secrets', async () => {
  using mine = await createBucket()
  const owner = await exporting()
  await owner.hotFile('small', { name: 'small' })
  const cases: [object, RegExp][] = [
    [{ secretAccessKey: 'wrong-secret' }, /secret access key.*403 SignatureDoesNotMatch/],
    [{ accessKeyId: 'nobody' }, /access key ID.*404 XAdminUserNotFound/],
    [{ bucket: 'nowhere-to-be-found' }, /no bucket with this name.*404 NoSuchBucket/],
    [{ endpoint: 'http://127.0.0.1:9' }, /The connection could not be established/],
    [{ endpoint: 'http://no-such-name.invalid' }, /host name could not be resolved/],
  ]
  for (const [wrong, sentence] of cases) {
    const { body } = await owner.start(targetOf(mine, wrong))
    const job = await owner.finish(body.id)
    expect([job.state, job.errorCode, job.error]).toEqual(['failed', 'bucket_failed', expect.stringMatching(sentence)])
    expect(JSON.stringify(job)).not.toContain('wrong-secret')
    expect(await owner.jobs('sealed_secret')).not.toContainEqual({ sealed_secret: expect.any(String) })
  }
  expect([...(await objectsOf(mine)).keys()]).toEqual([])
})

/** A store that delays each part by this time per MiB. */
async function slowly({ settings }: TestBucket, msPerMib: number) {
  const front = await startFrontOfStore(settings)
  front.answerBy((request, response) => {
    const { method = '', url = '', headers } = request
    if (method !== 'PUT' || !url.includes('/part-')) return false
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const body = Buffer.concat(chunks)
      await setTimeout((body.length / MIB) * msPerMib)
      if (response.destroyed) return
      const onward = forward(new URL(url, settings.endpoint), { method, headers }, (answered) => {
        answered.pipe(response.writeHead(answered.statusCode ?? 502, answered.headers))
      })
      onward.on('error', () => response.destroy()).end(body)
    })
    return true
  })
  return front
}

it('an export to a slow bucket uses smaller parts and completes', async () => {
  using mine = await createBucket()
  await using front = await slowly(mine, 100)
  const owner = await exporting()
  await owner.hotFile('large '.repeat(3 * MIB), { name: 'large' })
  const { body } = await owner.start(targetOf(mine, { endpoint: front.settings.endpoint }))
  const job = await finishJob(t, owner, body.id, { isHurried: true, patienceMs: { quick: 1200, slow: 30_000 } })
  expect(job).toMatchObject({ state: 'done', done: 1, failed: 0, error: null })
  const parts = [...(await objectsOf(mine))].filter(([name]) => name.endsWith('.car'))
  expect(parts.map(([, bytes]) => Math.floor(bytes.length / MIB))).toEqual([16, 2])
  expect(await uploadsOf(mine)).toEqual([])
})

it('an unresponsive bucket fails the export with a message, and the credentials are deleted', async () => {
  using mine = await createBucket()
  await using front = await startFrontOfStore(mine.settings)
  front.answerBy(({ method, url = '' }) => method === 'PUT' && url.includes('/part-'))
  const owner = await exporting()
  await owner.hotFile('small', { name: 'small' })
  const { body } = await owner.start(targetOf(mine, { endpoint: front.settings.endpoint }))
  const end = finishJob(t, owner, body.id, { patienceMs: { quick: 1000, slow: 1000 } })
  const last = 'update account_job set attempt = 11, due_at = now() where id = $1 and attempt = 1 returning is_slow'
  expect(
    await waitFor(async () => (await t.database.sql(last, [body.id]))[0], { what: 'the first try to fail' }),
  ).toEqual({
    is_slow: true,
  })
  expect(await end).toMatchObject({
    state: 'failed',
    errorCode: 'bucket_failed',
    error: 'The bucket is too slow',
    done: 0,
  })
  expect(await uploadsOf(mine)).toEqual([])
  expect(await owner.jobs('sealed_secret, is_slow')).toEqual([{ sealed_secret: null, is_slow: true }])
})

it('a forbidden or invalid target is rejected before anything is created', async () => {
  await using strict = await setup({
    env: { SERVICE_ENV: 'production', EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY: 'true', EXPORT_ALLOW_CIDRS: '10.1.0.0/16' },
  })
  using mine = await createBucket()
  const owner = await exporting(strict)
  const refused: [object, string][] = [
    [{ endpoint: 'http://s3.example' }, 'target.endpoint'],
    [{ endpoint: 'https://127.0.0.1' }, 'target.endpoint'],
    [{ endpoint: 'https://169.254.169.254' }, 'target.endpoint'],
    [{ endpoint: 'https://[::1]' }, 'target.endpoint'],
    [{ endpoint: 'https://2130706433' }, 'target.endpoint'],
    [{ endpoint: 'https://s3.example:6379' }, 'target.endpoint'],
    [{ endpoint: 'https://me:pass@s3.example' }, 'target.endpoint'],
    [{ endpoint: 'https://s3.example/?x' }, 'target.endpoint'],
    [{ bucket: '../other' }, 'target.bucket'],
    [{ bucket: 'b?x=' }, 'target.bucket'],
    [{ prefix: 'a/../b' }, 'target.prefix'],
    [{ prefix: '/a' }, 'target.prefix'],
    [{ accessKeyId: 'a\r\nx: y' }, 'target.accessKeyId'],
    [{ region: 'eu\r\n' }, 'target.region'],
  ]
  for (const [wrong, path] of refused) {
    const { status, body } = await owner.start({ ...targetOf(mine, { endpoint: 'https://s3.example' }), ...wrong })
    expect([wrong, status, body.details?.issues?.[0]?.path]).toEqual([wrong, 400, path])
    expect(JSON.stringify(body)).not.toContain(mine.settings.secretAccessKey)
  }
  const { status } = await owner.start(targetOf(mine, { endpoint: 'https://10.1.2.3' }))
  expect(status).toBe(201)
  expect((await owner.call('POST', '/api/account/export', { json: { target: targetOf(mine, { endpoint: 'https://10.1.2.3' }), filesExpireAfterSeconds: 60 } })).status).toBe(400) // biome-ignore format: one line
})

it('without a key for credentials, an installation exports only to vaults', async () => {
  await using keyless = await setup({ env: { EXPORT_SECRET_KEYS: '' } })
  using mine = await createBucket()
  const owner = await exporting(keyless)
  expect((await owner.start(targetOf(mine))).body).toMatchObject({
    code: 'validation_failed',
    details: { issues: [{ path: 'target.type', message: expect.stringContaining('buckets') }] },
  })
})

it('a repeated request creates one export even with another secret, and another target is another request', async () => {
  using mine = await createBucket()
  const owner = await exporting()
  const headers = { 'idempotency-key': 'once' }
  const first = await owner.start(targetOf(mine), headers)
  const second = await owner.start(targetOf(mine, { secretAccessKey: 'other' }), headers)
  expect([second.status, second.body.id]).toEqual([201, first.body.id])
  expect((await owner.start(targetOf(mine, { prefix: 'x' }), headers)).status).toBe(422)
  await owner.finish(first.body.id) // finishes the job, so other tests do not run it
})
