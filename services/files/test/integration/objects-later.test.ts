import { request } from 'node:http'
import { purgeExpired } from '@tideport/file-lifecycle/removal/purge'
import { purgeFile } from '@tideport/file-lifecycle/removal/purge-file'
import { openHotTierListing } from '@tideport/hot-tier/listing'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createFailpoints } from '@tideport/testing/failpoints'
import { createBucket, s3Environment } from '@tideport/testing/s3'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf } from '../client.ts'
import { makeCold } from '../later-states.ts'
import { objectsOf, putHead } from '../objects.ts'

const MIB = 1024 ** 2
const stack = new AsyncDisposableStack()
let t: Bundle
let bucket: Awaited<ReturnType<typeof createBucket>>
let failpoints: Awaited<ReturnType<typeof createFailpoints>>
beforeAll(async () => {
  bucket = stack.use(await createBucket())
  t = stack.use(await setup({ s3: bucket.settings, env: { HOT_STREAMS_MAX: '2' } }))
  failpoints = stack.use(await createFailpoints())
})
afterAll(() => stack.disposeAsync())

async function stored(fileId: string): Promise<number> {
  using listing = openHotTierListing(t.config)
  let found = 0
  for await (const object of listing.objects()) if (object.fileId === fileId) found += 1
  return found
}

it.each(['private', 'public'] as const)(
  'an object of a %s vault is synced, evicted, read, and copied from its network',
  async (visibility) => {
    const objects = await objectsOf(t, clientOf(t), visibility)
    const bytes = Buffer.alloc(3 * MIB, 'cold')
    const { object } = await objects.put('deep/cold', bytes, { wanted: ['crc32c'], metadata: { a: 'b' } })
    await makeCold(t, object.fileId)
    expect(await stored(object.fileId)).toBe(0)
    const read = await objects.get('deep/cold', { range: `bytes=${MIB}-${MIB + 9}` })
    expect([read.status, read.bytes.equals(bytes.subarray(MIB, MIB + 10)), read.object.isHot]).toEqual([
      206,
      true,
      false,
    ])
    const copied = await objects.copy('deep/copy', { key: 'deep/cold' })
    expect(copied.object).toMatchObject({
      isHot: true,
      etag: object.etag,
      digests: object.digests,
      metadata: { a: 'b' },
    })
    expect((await objects.get('deep/copy')).bytes.equals(bytes)).toBe(true)
    const hashed = await objects.copy('deep/cold', { key: 'deep/cold' }, { wanted: ['sha1'] })
    expect(hashed.object).toMatchObject({ isHot: true, etag: object.etag, digests: { sha1: expect.any(String) } })
  },
)

it.each([
  ['content.after-put', 404],
  ['confirm.before-commit', 404],
  ['content.after-commit', 200],
])('a process that crashes at %s leaves the old object or the new one', async (failpoint, status) => {
  const objects = await objectsOf(t)
  await using dying = spawnProgram(new URL('../../src/main.ts', import.meta.url), {
    SERVICE_ENV: 'development',
    FAILPOINT_DIR: failpoints.directory,
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    DATABASE_URL: t.database.url,
    NATS_URL: 'nats://127.0.0.1:9',
    IDENTITY_TOKEN_PUBLIC_KEYS: t.config.identityTokenPublicKeys,
    ...s3Environment(bucket.settings),
    EMBEDDED_NETWORK_DIR: t.directory.path,
    PUBLIC_URL: 'https://files.example',
    DOWNLOAD_TOKEN_KEYS: Buffer.alloc(32, 7).toString('base64'),
  })
  const { address } = await dying.line('listening')
  await failpoints.pause(failpoint)
  const body = Buffer.alloc(2 * MIB)
  const headers = await putHead(t, objects, body.length)
  const broken = expect(
    fetch(new URL(objects.at('', 'k'), String(address)), { method: 'PUT', body, headers }),
  ).rejects.toThrow()
  const rows = () =>
    t.database.sql<{ id: string }>('select id from file where account_id = $1', [objects.client.accountId])
  const id = await waitFor(async () => {
    const [row] = await rows()
    return row && (await stored(row.id)) === 1 && row.id
  })
  await waitFor(async () => (await objects.get('k')).status === status)
  await failpoints.kill(failpoint)
  await broken
  expect((await dying.ended).signal).toBe('SIGKILL')
  expect((await objects.get('k')).status).toBe(status)
  expect((await objects.put('k', 'again')).status).toBe(200)
  if (status === 200) return
  await t.database.sql('update file set upload_expires_at = now() where id = $1', [id])
  const log = createLogger({ service: 'test', level: 'silent' })
  const deps = { ...t, log, settleSeconds: 1, eventsMaxAgeSeconds: 60 }
  expect(await purgeExpired(t.db, id, deps)).not.toBeNull()
  await purgeFile(deps, id, new AbortController().signal)
  expect(await stored(id)).toBe(0)
})

it('a client that stops sending loses its place to others', async () => {
  const objects = await objectsOf(t)
  const stall = async (key: string) => {
    const put = request(new URL(objects.at('', key), t.address), {
      method: 'PUT',
      headers: await putHead(t, objects, 8 * MIB),
    })
    const status = new Promise((resolve) =>
      put.on('response', (response) => resolve(response.statusCode)).on('error', () => resolve('cut')),
    )
    await new Promise((resolve) => put.write(Buffer.alloc(MIB), resolve))
    return { put, status }
  }
  const taken = async () => /tideport_open_streams{tier="upload".* (\d+)/.exec((await t.metrics.render()).text)?.[1]
  const stalled = [await stall('a'), await stall('b')]
  await waitFor(async () => (await taken()) === '2')
  const other = await objectsOf(t)
  await waitFor(async () => (await other.put('k', Buffer.alloc(2 * MIB))).status === 200)
  expect([503, 'cut']).toContain(await Promise.race(stalled.map(({ status }) => status)))
  for (const { put } of stalled) put.destroy()
})
