import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { expireFiles } from '../../src/removal/expire-files.ts'
import { log, must, never } from '../bundle.ts'
import { setupPurging } from '../purging.ts'

const t = setUpOnce(setupClock)

const deps = { log, relay: { wake: () => {} }, trashRetentionSeconds: 60 }

async function setupClock() {
  const t = await setupPurging()
  const vault = async () =>
    (await t.database.sql('select file_count, storage_bytes from vault where id = $1', [t.vaultId]))[0]
  return Object.assign(t, { run: () => expireFiles({ ...t, ...deps }, never), vault })
}

describe('expired files', () => {
  it('go to the trash in any status, once when two processes run, and no other files do', async () => {
    const over = [await t.hotFile(), await t.syncedFile(), await t.provedFile()]
    const ahead = await t.hotFile()
    const upload = (await t.begin(5)).file
    const trashed = await t.hotFile()
    for (const { id } of [...over, upload, trashed]) await t.assign(id, `expires_at = now() - interval '1 second'`)
    await t.assign(ahead.id, `expires_at = now() + interval '1 hour'`)
    await t.trash(trashed)
    await Promise.all([t.run(), t.run()])
    for (const file of over) {
      const row = await t.read(file.id)
      expect(row).toMatchObject({ status: file.status, claimedUntil: null })
      expect(must(row.purgeDueAt).getTime() - must(row.deletedAt).getTime()).toBe(60_000)
      expect((await t.events(file.id)).filter((type) => type === 'file.deleted')).toHaveLength(1)
    }
    for (const { id } of [ahead, upload]) expect((await t.read(id)).deletedAt).toBeNull()
    expect(await t.vault()).toEqual({ file_count: '2', storage_bytes: '10' })
    const told = await t.database.sql(
      `select payload->'data'->>'reason' as reason, actor->>'method' as actor from event
       where type = 'file.deleted' order by payload->'data'->>'reason'`,
    )
    expect(told).toEqual([
      ...over.map(() => ({ reason: 'expired', actor: 'system' })),
      { reason: null, actor: 'system' },
    ])
  })

  it('stay in the trash when their vault is restored without them', async () => {
    const [over, other] = [await t.hotFile(), await t.hotFile()]
    await t.trashVault(t.vaultId)
    await t.assign(over.id, 'expires_at = now()')
    await t.run()
    await t.restoreVault(t.vaultId)
    expect((await t.read(over.id)).deletedAt).not.toBeNull()
    expect((await t.read(other.id)).deletedAt).toBeNull()
    expect(await t.vault()).toEqual({ file_count: '1', storage_bytes: '5' })
  })

  it('lose their expiry when they are restored, unless it is in the future', async () => {
    const [over, ahead] = [await t.hotFile(), await t.hotFile()]
    await t.assign(over.id, 'expires_at = now()')
    await t.run()
    await t.assign(ahead.id, `expires_at = now() + interval '1 hour'`)
    await t.trash(ahead)
    for (const file of [over, ahead]) await t.restore(await t.read(file.id))
    await t.run()
    expect(await t.read(over.id)).toMatchObject({ deletedAt: null, expiresAt: null })
    expect((await t.read(ahead.id)).expiresAt).toBeInstanceOf(Date)
  })

  it('are left to a worker with a claim, and trashed afterwards', async () => {
    const file = await t.hotFile()
    await t.assign(file.id, `expires_at = now(), claimed_until = now() + interval '1 minute'`)
    await t.run()
    expect((await t.read(file.id)).deletedAt).toBeNull()
    await t.assign(file.id, 'claimed_until = now()')
    await t.run()
    expect((await t.read(file.id)).deletedAt).not.toBeNull()
  })
})
