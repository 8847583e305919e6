import { purgeExpired } from '@tideport/file-lifecycle/removal/purge'
import { purgeFile } from '@tideport/file-lifecycle/removal/purge-file'
import { openHotTierListing } from '@tideport/hot-tier/listing'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createFailpoints } from '@tideport/testing/failpoints'
import { createBucket, s3Environment } from '@tideport/testing/s3'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { describe, expect, it } from 'vitest'
import { setup } from '../bundle.ts'
import { clientOf } from '../client.ts'

const never = new AbortController().signal

/** A process of the files service that dies where it is told, beside one on the same rows and bucket that does not. */
async function setupDying() {
  const stack = new AsyncDisposableStack()
  const bucket = stack.use(await createBucket())
  const t = stack.use(await setup({ s3: bucket.settings }))
  const failpoints = stack.use(await createFailpoints())
  const dying = stack.use(
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
    }),
  )
  const { address } = await dying.line('listening')
  const client = clientOf(t)
  const vaultId = await client.defaultVault()
  const upload = async (at: string, headers: Record<string, string> = {}) => {
    const own = { ...(await t.principalHeaders(client.accountId)), ...headers }
    return await fetch(`${at}/api/vaults/${vaultId}/content/a.txt`, { method: 'PUT', body: 'hello', headers: own })
  }
  const row = async () =>
    (await t.database.sql('select * from file where account_id = $1', [client.accountId]))[0] as Record<string, unknown>
  const listing = stack.use(openHotTierListing(t.config))
  const objects = async () => {
    const keys: string[] = []
    for await (const { key } of listing.objects()) keys.push(key)
    return keys
  }
  return {
    ...t,
    client,
    row,
    objects,
    upload,
    async dieAt(name: string, headers?: Record<string, string>) {
      await failpoints.kill(name)
      await expect(upload(String(address), headers)).rejects.toThrow()
      await failpoints.waitUntilHit(name)
      expect((await dying.ended).signal).toBe('SIGKILL')
    },
    usage: async () => (await client.call('GET', '/api/account')).body.usage,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

describe('a process that dies during an upload in one call', () => {
  it.each([
    ['content.before-put', 0],
    ['content.after-put', 1],
    ['confirm.before-commit', 1],
  ])('at %s leaves a row whose time is over in minutes, and then nothing', async (failpoint, objects) => {
    await using t = await setupDying()
    await t.dieAt(failpoint)
    const { id, status } = await t.row()
    expect([status, (await t.objects()).length]).toEqual(['uploading', objects])
    const [{ minutes } = {}] = await t.database.sql<{ minutes: number }>(
      'select extract(epoch from upload_expires_at - now()) / 60 as minutes from file',
    )
    expect(Number(minutes)).toBeLessThanOrEqual(5)

    const log = createLogger({ service: 'test', level: 'silent' })
    const deps = { ...t, log, settleSeconds: 1, eventsMaxAgeSeconds: 60 }
    await t.database.sql('update file set upload_expires_at = now()')
    expect(await purgeExpired(t.db, String(id), deps)).not.toBeNull()
    await purgeFile(deps, String(id), never)
    expect(await t.objects()).toEqual([])
    await t.database.sql('update file set cleanup_after = now(), purge_due_at = now(), claimed_until = null')
    expect(await purgeFile(deps, String(id), never)).toBe('gone')
    expect([await t.row(), await t.objects()]).toEqual([undefined, []])
    expect(await t.usage()).toMatchObject({ storageBytes: 0, hotBytes: 0, fileCount: 0 })
  })

  it.each(['content.before-put', 'content.after-put', 'confirm.before-commit', 'content.after-commit'])(
    'at %s is gone on with by the same request with the same key',
    async (failpoint) => {
      await using t = await setupDying()
      const key = { 'idempotency-key': 'again' }
      await t.dieAt(failpoint, key)
      const { id } = await t.row()
      const again = await t.upload(t.address, key)
      expect([again.status, await again.json()]).toMatchObject([201, { id, status: 'hot', sizeBytes: 5 }])
      const events = await t.database.sql('select type from event where subject_id = $1', [String(id)])
      expect(events).toEqual([{ type: 'file.hot' }])
      expect(await t.usage()).toMatchObject({ storageBytes: 5, hotBytes: 5, fileCount: 1 })
    },
  )
})
