import { must } from '@tideport/file-lifecycle/testing/bundle'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { deadLetters } from '../../src/dead-letters/dead-letters.ts'
import { redrive } from '../../src/redrive.ts'
import { setupInstallation, type TestInstallation } from '../installation.ts'

const t = setUpOnce(setupInstallation)

const ids = (rows: { fileId: string }[]) => rows.map(({ fileId }) => fileId)

describe('operator dead-letters --files', () => {
  it('lists files in error of all accounts with their time, reason, and hot bytes', async () => {
    const other = await t.newAccount()
    const [kept, gone, trashed, fine] = [await t.hotFile(), await t.hotFile('hello', other), await t.hotFile(), await t.hotFile()] // biome-ignore format: one line
    await t.hotTier.remove(must(gone.hotKey))
    await t.fail(kept)
    await t.fail(gone, 'hot_copy_missing')
    await t.fail(trashed)
    await t.trash(await t.read(trashed.id))
    const { rows, failure } = await t.run(deadLetters, ['--files', '--json'])
    expect(failure).toBeNull()
    expect(new Set(ids(rows))).toEqual(new Set([kept.id, gone.id]))
    expect(ids(rows)).not.toContain(fine.id)
    expect(rows.find(({ fileId }) => fileId === kept.id)).toMatchObject({ errorCode: 'sync_failed', hotBytes: 'there' })
    expect(rows.find(({ fileId }) => fileId === gone.id)).toMatchObject({
      hotBytes: 'gone',
      accountId: other.accountId,
    })
    const some = await t.run(deadLetters, ['--files', '--json', '--error', 'hot_copy_missing', '--older-than', '1h'])
    expect(ids(some.rows)).toEqual([gone.id])
    expect((await t.run(deadLetters, ['--files', '--json', '--older-than', '3h'])).rows).toEqual([])
  })

  it('returns pages without gaps or repeats', async () => {
    const owners = [await t.newAccount(), await t.newAccount()]
    for (const owner of [...owners, ...owners]) await t.fail(await t.hotFile('hello', owner), 'interrupted')
    const seen: string[] = []
    let after: unknown
    do {
      const go: string[] = after === undefined ? [] : ['--after', String(after)]
      const page = await t.run(deadLetters, ['--files', '--json', '--error', 'interrupted', '--limit', '1', ...go])
      seen.push(...ids(page.rows))
      after = page.logged.find(({ after }) => after)?.after
    } while (after !== undefined)
    expect(seen).toHaveLength(4)
    expect(new Set(seen).size).toBe(4)
  })
})

/** A file that is healthy on one network and dead-lettered on the other. */
async function halfStored(two: TestInstallation) {
  const { id } = await two.hotFile()
  await two.store({ id }, 'lake')
  return await two.giveUp({ id }, 'network_refused', 'disk')
}

describe('dead-lettered copies', () => {
  it('are listed with their network and reason, and are retried without changing the file', async () => {
    await using two = await setupInstallation('lake', 'disk')
    const file = await halfStored(two)
    expect(file.status).toBe('synced')
    expect((await two.copy(file, 'disk')).state).toBe('failed')
    const listed = await two.run(deadLetters, ['--copies', '--json'])
    expect(listed.rows).toMatchObject([
      { fileId: file.id, network: 'disk', errorCode: 'network_refused', status: 'synced' },
    ])
    expect((await two.run(deadLetters, ['--copies', '--json', '--error', 'interrupted'])).rows).toEqual([])
    expect((await two.run(deadLetters, ['--files', '--json'])).rows).toEqual([])
    expect((await two.run(redrive, ['--copies', '--json'])).rows).toEqual([])
    expect(await two.copy(file, 'disk')).toMatchObject({ state: 'planned', attempt: 0 })
    expect((await two.read(file.id)).status).toBe('synced')
  })
})

describe('operator dead-letters --events', () => {
  it('lists events that have waited for a long time, oldest first', async () => {
    const file = await t.hotFile()
    const old = `update event set at = now() - interval '1 hour' where subject_id = $1`
    await t.database.sql(old, [file.id])
    const { rows } = await t.run(deadLetters, ['--events', '--json'])
    const row = { kind: 'event', eventId: expect.any(String), subjectId: file.id, since: expect.any(String) }
    expect(rows).toEqual([{ ...row, event: 'file.hot', failure: null }])
    await t.database.sql(`update event set failed_at = now(), failure = 'payload: wrong' where subject_id = $1`, [
      file.id,
    ])
    const failed = (await t.run(deadLetters, ['--events', '--json'])).rows
    expect(failed).toEqual([{ ...row, event: 'file.hot', failure: 'payload: wrong' }])
    await t.database.sql('update event set failed_at = null, published_at = now() where subject_id = $1', [file.id])
    expect((await t.run(deadLetters, ['--events', '--json'])).rows).toEqual([])
  })
})

describe('operator redrive', () => {
  it('makes files in error hot again, like their owners can, and skips those that no retry can fix', async () => {
    const owner = await t.newAccount()
    const [good, wrong, gone] = [await t.hotFile('hello', owner), await t.hotFile('hello', owner), await t.hotFile('hello', owner)] // biome-ignore format: one line
    await t.hotTier.remove(must(gone.hotKey))
    await t.fail(good, 'network_refused')
    await t.fail(wrong, 'checksum_mismatch')
    await t.fail(gone, 'network_refused')

    const dry = await t.run(redrive, ['--all', '--error', 'network_refused', '--dry-run', '--json'])
    expect(new Set(ids(dry.rows))).toEqual(new Set([good.id, gone.id]))
    expect((await t.read(good.id)).status).toBe('error')

    const { rows } = await t.run(redrive, ['--all', '--error', 'network_refused', '--json'])
    expect(rows).toMatchObject([{ fileId: gone.id, outcome: 'no_bytes' }])
    expect(await t.read(good.id)).toMatchObject({ status: 'hot', errorCode: null })
    expect(await t.events(good.id)).toEqual(['file.hot', 'copy.failed', 'file.error', 'retry.accepted'])
    expect((await t.run(redrive, ['--file', wrong.id, '--json'])).rows).toMatchObject([{ outcome: 'wrong_bytes' }])
  })

  it('respects the rate', async () => {
    const owner = await t.newAccount()
    for (let n = 0; n < 3; n += 1) await t.fail(await t.hotFile('hello', owner), 'hot_copy_missing')
    const startedAt = performance.now()
    await t.run(redrive, ['--all', '--error', 'hot_copy_missing', '--rate', '5'])
    expect(performance.now() - startedAt).toBeGreaterThan(550)
  })

  it('requires a selection', async () => {
    expect((await t.run(redrive, [])).failure).toBe('name exactly one of --file, --all, --copies, and --deliveries')
    expect((await t.run(redrive, ['--file', 'x'])).failure).toBe('--file must be an ID (UUID)')
  })
})
