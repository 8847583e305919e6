import { must } from '@tideport/file-lifecycle/testing/bundle'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { verify } from '../../src/verify.ts'
import { setupInstallation } from '../installation.ts'

const t = setUpOnce(setupInstallation)

describe('operator verify', () => {
  it('proves every copy by its bytes, and lists those that fail', async () => {
    await t.hotFile()
    const [good, rotten, gone] = [await t.coldFile('good'), await t.syncedFile('rotten'), await t.coldFile('gone')]
    expect((await t.run(verify, ['--all', '--json'])).rows).toEqual([{ proved: 3, failed: 0, changed: 0, bytes: 14 }])
    await t.spoilCopy(rotten)
    await t.loseCopy(gone)

    const { rows, failure } = await t.run(verify, ['--all', '--json'])
    expect(failure).toBe('2 copies failed verification')
    const outcomes = Object.fromEntries(rows.map(({ fileId, outcome }) => [fileId, outcome]))
    expect(outcomes).toMatchObject({ [rotten.id]: 'mismatch', [gone.id]: 'absent' })
    expect(rows.at(-1)).toEqual({ proved: 1, failed: 2, changed: 0, bytes: 4 })
    for (const file of [good, rotten, gone]) expect((await t.read(file.id)).version).toBe(file.version)
  })

  it('verifies one file, a sample, or the rest after an ID', async () => {
    const [first] = [await t.coldFile(), await t.coldFile()]
    const proved = async (...args: string[]) => (await t.run(verify, [...args, '--json'])).rows.at(-1)?.proved
    expect(await proved('--file', first.id)).toBe(1)
    expect(await proved('--sample', '50')).toBe(2)
    expect(await proved('--all', '--after', first.id)).toBe(1)
    expect((await t.run(verify, ['--file', crypto.randomUUID()])).failure).toContain('no file with ID')
    expect((await t.run(verify, ['--all', '--network', 'walrus'])).failure).toBe('unknown network. Use one of embedded')
  })

  it('samples all files, whatever their IDs', async () => {
    await t.request({ id: '00000000-0000-7000-8000-000000000000' })
    for (const body of ['one', 'two', 'three', 'four']) await t.coldFile(body)
    expect((await t.run(verify, ['--sample', '50', '--json'])).rows.at(-1)?.proved).toBe(4)
    expect((await t.run(verify, ['--sample', '2', '--json'])).rows.at(-1)?.proved).toBeLessThanOrEqual(2)
  })

  it('records results in the rows without changing a state, and schedules a check by eviction for failed copies', async () => {
    const [good, gone] = [await t.coldFile(), await t.coldFile()]
    await t.loseCopy(gone)
    const before = { good: await t.copy(good), gone: await t.copy(gone) }
    await t.run(verify, ['--all'])
    const after = { good: await t.copy(good), gone: await t.copy(gone) }
    expect(after.good).toMatchObject({ state: 'proved', checksOk: before.good.checksOk + 1, dueAt: before.good.dueAt })
    expect(after.gone).toMatchObject({ state: 'proved', checksOk: before.gone.checksOk, checksFailed: 1 })
    expect(must(after.gone.dueAt).getTime()).toBeLessThan(must(before.gone.dueAt).getTime())
    for (const file of [good, gone]) expect((await t.read(file.id)).version).toBe(file.version)
  })

  it('reports unreadable copies as such, and does not count this against them', async () => {
    const [gone, hidden] = [await t.coldFile('gone'), await t.coldFile('hidden')]
    await t.loseCopy(gone)
    await t.hideCopy(hidden)
    const { failure } = await t.run(verify, ['--all'])
    expect(failure).toBe('1 copies failed verification, 1 copies could not be read')
    expect(await t.copy(hidden)).toMatchObject({ state: 'proved', checksFailed: 0 })
  })

  it('proves the copies on every network, or on one', async () => {
    await using two = await setupInstallation('lake', 'walrus-2')
    const file = await two.coldFile()
    await two.loseCopy(file, 'walrus-2')
    const { rows, failure } = await two.run(verify, ['--all', '--json'])
    expect(failure).toBe('1 copies failed verification')
    expect(rows).toMatchObject([
      { fileId: file.id, network: 'walrus-2', outcome: 'absent' },
      { proved: 1, failed: 1, bytes: 5 },
    ])
    expect(await two.run(verify, ['--all', '--network', 'lake', '--json'])).toMatchObject({
      rows: [{ proved: 1, failed: 0 }],
      failure: null,
    })
  })

  it('proves nothing while the volume is not mounted', async () => {
    await t.coldFile()
    await t.takeNetworkDown()
    expect((await t.run(verify, ['--all'])).failure).toContain('marker')
  })
})
