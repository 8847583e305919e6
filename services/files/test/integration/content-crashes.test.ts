import { isDeepStrictEqual } from 'node:util'
import { purgeExpired } from '@tideport/file-lifecycle/removal/purge'
import { purgeFile } from '@tideport/file-lifecycle/removal/purge-file'
import { openHotTierListing } from '@tideport/hot-tier/listing'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createFailpoints } from '@tideport/testing/failpoints'
import { createBucket, s3Environment } from '@tideport/testing/s3'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf } from '../client.ts'

const never = new AbortController().signal
const stack = new AsyncDisposableStack()
let t: Bundle
let bucket: Awaited<ReturnType<typeof createBucket>>
let failpoints: Awaited<ReturnType<typeof createFailpoints>>
beforeAll(async () => {
  bucket = stack.use(await createBucket())
  t = stack.use(await setup({ s3: bucket.settings }))
  failpoints = stack.use(await createFailpoints())
})
afterAll(() => stack.disposeAsync())

/** A files process that crashes at a failpoint. Another process uses the same rows and bucket. */
const startDying = () =>
  spawnProgram(new URL('../../src/main.ts', import.meta.url), {
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

/** An account that uploads one file of five bytes. */
async function uploader(headers: Record<string, string> = {}) {
  const client = clientOf(t)
  const vaultId = await client.defaultVault()
  const own = { ...(await t.principalHeaders(client.accountId)), ...headers }
  const row = async () =>
    (await t.database.sql('select * from file where account_id = $1', [client.accountId]))[0] as
      | Record<string, unknown>
      | undefined
  return {
    row,
    upload: (at: string) =>
      fetch(`${at}/api/vaults/${vaultId}/content/a.txt`, { method: 'PUT', body: 'hello', headers: own }),
    /** The status of the file and its number of objects. */
    async state() {
      const { id, status } = (await row()) ?? {}
      return [status, id === undefined ? 0 : await objectsOf(String(id))]
    },
    usage: async () => (await client.call('GET', '/api/account')).body.usage,
  }
}

async function objectsOf(id: string): Promise<number> {
  using listing = openHotTierListing(t.config)
  let found = 0
  for await (const { fileId } of listing.objects()) if (fileId === id) found += 1
  return found
}

describe('a process that crashes during a one-request upload', () => {
  it.each([
    ['content.before-put', 'uploading', 0],
    ['content.after-put', 'uploading', 1],
    ['confirm.before-commit', 'uploading', 1],
    ['content.after-commit', 'hot', 1],
  ])(
    'at %s leaves a row that expires in minutes, unless the same request with the same key continues',
    async (failpoint, status, objects) => {
      const [left, repeated] = [await uploader(), await uploader({ 'idempotency-key': 'again' })]
      await using dying = startDying()
      const { address } = await dying.line('listening')
      await failpoints.pause(failpoint)
      const broken = [left, repeated].map(({ upload }) => expect(upload(String(address))).rejects.toThrow())
      for (const { state } of [left, repeated]) {
        await waitFor(async () => isDeepStrictEqual(await state(), [status, objects]), { what: 'both to be held' })
      }
      await failpoints.kill(failpoint)
      await Promise.all(broken)
      expect((await dying.ended).signal).toBe('SIGKILL')
      expect([await left.state(), await repeated.state()]).toEqual([[status, objects], [status, objects]]) // biome-ignore format: one line

      const id = (await repeated.row())?.id
      const again = await repeated.upload(t.address)
      expect([again.status, await again.json()]).toMatchObject([201, { id, status: 'hot', sizeBytes: 5 }])
      const events = await t.database.sql('select type from event where subject_id = $1', [id])
      expect(events).toEqual([{ type: 'file.hot' }])
      expect(await repeated.usage()).toMatchObject({ storageBytes: 5, hotBytes: 5, fileCount: 1 })
      if (status === 'uploading') await expectToEnd(left)
    },
  )
})

async function expectToEnd({ row, usage }: Awaited<ReturnType<typeof uploader>>): Promise<void> {
  const id = String((await row())?.id)
  const update = (set: string) => t.database.sql(`update file set ${set} where id = $1`, [id])
  const [{ minutes } = {}] = await t.database.sql<{ minutes: number }>(
    'select extract(epoch from upload_expires_at - now()) / 60 as minutes from file where id = $1',
    [id],
  )
  expect(Number(minutes)).toBeLessThanOrEqual(5)
  const log = createLogger({ service: 'test', level: 'silent' })
  const deps = { ...t, log, settleSeconds: 1, eventsMaxAgeSeconds: 60 }
  await update('upload_expires_at = now()')
  expect(await purgeExpired(t.db, id, deps)).not.toBeNull()
  await purgeFile(deps, id, never)
  expect(await objectsOf(id)).toBe(0)
  await update('cleanup_after = now(), purge_due_at = now(), claimed_until = null')
  expect(await purgeFile(deps, id, never)).toBe('gone')
  expect([await row(), await objectsOf(id)]).toEqual([undefined, 0])
  expect(await usage()).toMatchObject({ storageBytes: 0, hotBytes: 0, fileCount: 0 })
}
