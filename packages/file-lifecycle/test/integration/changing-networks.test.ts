import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { must } from '../bundle.ts'
import { keepReading, setupNetworks } from '../networks-bundle.ts'

const t = setUpOnce(() => setupNetworks('lake', 'attic'))
const onLake = setUpOnce(() => setupNetworks('lake'))

const both = { lake: 'required', attic: 'required' } as const
const leavingAttic = { lake: 'required', attic: 'leaving' } as const

describe('an added network', () => {
  it('is detected by a walk at once after a configuration change, otherwise on schedule', async () => {
    const t = onLake
    const before = await t.configure({ lake: 'required' })
    await before.walk()
    const file = await before.coldFile()
    await t.database.sql('delete from copy where file_id = $1', [file.id])
    await before.walk()
    expect(await t.states(file)).toEqual({})
    await t.database.sql(`update copy_walk set begun_at = now() - interval '1 hour'`)
    await before.walk()
    expect(await t.states(file)).toEqual({ lake: 'planned' })
    const after = await t.configure(both)
    await after.walk()
    expect(await t.states(file)).toEqual({ lake: 'planned', attic: 'planned' })
  })

  it('gets files that old processes finished behind the walk, through repeated walks at growing intervals', async () => {
    const t = onLake
    const before = await t.configure({ lake: 'required' })
    const after = await t.configure(both)
    await after.walk()
    const file = await before.coldFile()
    const walkWhen = async (begun: string, since: string) => {
      await t.database.sql(`update copy_walk set begun_at = now() - $1::interval, since = now() - $2::interval`, [
        begun,
        since,
      ])
      await after.walk()
      return await t.states(file)
    }
    expect(await walkWhen('50 seconds', '50 seconds')).toEqual({ lake: 'proved' })
    expect(await walkWhen('3 minutes', '8 minutes')).toEqual({ lake: 'proved' })
    expect(await walkWhen('61 seconds', '61 seconds')).toEqual({ lake: 'proved', attic: 'planned' })
    await t.database.sql(`delete from copy where network = 'attic'`)
    expect(await walkWhen('5 minutes', '8 minutes')).toEqual({ lake: 'proved', attic: 'planned' })
  })

  it('keeps hot bytes until it has a copy of the file', async () => {
    const t = onLake
    const file = await t.provedFile('hello')
    const after = await t.configure(both)
    await after.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictingAt: null })
    await after.walk()
    await after.store(file, 'attic')
    await after.prove(file, 'attic')
    await after.evict(file)
    await after.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
  })
})

describe('a file that is evicting when a network is added', () => {
  it('waits for its copy there, and continues as soon as the copy is proved', async () => {
    const t = onLake
    const file = await t.provedFile('hello')
    const before = await t.configure({ lake: 'required' })
    await before.evict(file)
    const after = await t.configure(both)
    await after.walk()
    // Several times, because the wait doubles each time.
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await after.evict(file)
      expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictAttempt: attempt, hotKey: file.hotKey })
    }
    await after.store(file, 'attic')
    await after.prove(file, 'attic')
    const [row] = await t.database.sql('select evict_due_at <= now() as is_due from file where id = $1', [file.id])
    expect(row).toEqual({ is_due: true })
    await after.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold', hotKey: null })
  })
})

describe('a leaving network', () => {
  it('is emptied after the others confirm their copies, is readable until then, and keeps its rows', async () => {
    const file = await (await t.configure(both)).coldFile('hello')
    const after = await t.configure(leavingAttic)
    const stopReading = keepReading(after, file, 'hello')
    await after.walk()
    expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'dropping' })
    await after.drop('attic')
    expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'dropping' })
    await t.hideCopy(file, 'lake')
    expect(await after.bytesOf(file)).toBe('hello')

    // Without a response of a proved copy, the copy stays.
    await t.makeDue(file.id)
    await after.drop('attic')
    expect(await t.states(file)).toMatchObject({ attic: 'dropping' })
    expect(await t.blobsOn('attic')).toHaveLength(1)

    await t.showCopy(file, 'lake')
    await t.makeDue(file.id)
    await after.drop('attic')
    expect(await t.copy(file, 'attic')).toMatchObject({ state: 'dropped', blobId: (await t.copy(file)).blobId })
    expect(await t.blobsOn('attic')).toEqual([])
    expect(await stopReading()).toBeGreaterThan(0)
  })

  it('waits for a running check, and no longer', async () => {
    const file = await (await t.configure(both)).coldFile('hello')
    const after = await t.configure(leavingAttic)
    const waitOf = async () => {
      const [row] = await t.database.sql<{ seconds: number }>(
        `select extract(epoch from due_at - now())::float8 as seconds from copy where file_id = $1 and network = 'attic'`,
        [file.id],
      )
      return must(row).seconds
    }
    let whileChecked = 0
    await t.assignCopies(file.id, 'due_at = now()')
    await after.check('attic', async () => {
      await after.walk()
      await after.drop('attic')
      whileChecked = await waitOf()
    })
    expect(whileChecked).toBeGreaterThan(50)
    expect(await waitOf()).toBeLessThanOrEqual(t.proveDeps.settleSeconds)
    expect(await t.copy(file, 'attic')).toMatchObject({ state: 'dropping', claimedUntil: null })
    await t.makeDue(file.id)
    await after.drop('attic')
    expect(await t.blobsOn('attic')).toEqual([])
  })

  it('keeps files that only it has until the other networks have them', async () => {
    await using t = await setupNetworks('attic')
    const file = await (await t.configure({ attic: 'required' })).coldFile('hello')
    const after = await t.configure(leavingAttic)
    await after.walk()
    expect(await t.states(file)).toEqual({ lake: 'planned', attic: 'proved' })
    await after.store(file, 'lake')
    expect(await t.states(file)).toEqual({ lake: 'stored', attic: 'proved' })
    await after.prove(file, 'lake')
    expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'dropping' })
    await t.makeDue(file.id)
    await after.drop('attic')
    expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'dropped' })
    expect(await after.bytesOf(file)).toBe('hello')
  })

  it('heals the copy on the remaining network while it is emptied', async () => {
    const file = await (await t.configure(both)).coldFile('hello')
    const after = await t.configure(leavingAttic)
    await after.walk()
    await t.hideCopy(file, 'lake')
    await t.makeDue(file.id)
    await after.check('lake')
    expect(await t.states(file)).toEqual({ lake: 'planned', attic: 'dropping' })
    await after.drop('attic')
    await after.store(file, 'lake')
    await after.prove(file, 'lake')
    await t.makeDue(file.id)
    await after.drop('attic')
    expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'dropped' })
    expect(await after.bytesOf(file)).toBe('hello')
  })

  it('does not hide a lost file with a copy that was named but never stored', async () => {
    const file = await (await t.configure({ lake: 'required' })).coldFile('hello')
    await (await t.configure(both)).walk()
    await t.assignCopies(file.id, `blob_id = coalesce(blob_id, 'named')`)
    const after = await t.configure(leavingAttic)
    await after.walk()
    expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'dropping' })
    await t.hideCopy(file, 'lake')
    await t.makeDue(file.id)
    await after.check('lake')
    const lost = { status: 'error', errorCode: 'content_lost' }
    expect(await t.read(file.id)).toMatchObject(lost)

    // The walk judges by the same rule.
    await t.assign(file.id, `status = 'cold', error = null, error_code = null`)
    await t.database.sql(`update copy_walk set begun_at = '-infinity', after = null`)
    await after.walk()
    expect(await t.read(file.id)).toMatchObject(lost)
  })

  it('drops one copy of a file at a time, so that two processes never drop the copies that each other relies on', async () => {
    await using t = await setupNetworks('lake', 'attic', 'cellar')
    const file = await (await t.configure({ ...both, cellar: 'required' })).coldFile('hello')
    const one = await t.configure({ lake: 'required', attic: 'leaving', cellar: 'leaving' })
    const two = await t.configure({ lake: 'leaving', attic: 'required', cellar: 'leaving' })
    for (let round = 0; round < 6; round += 1) {
      await Promise.all([one.walk(), two.walk()])
      const dropping = Object.values(await t.states(file)).filter((state) => state === 'dropping')
      expect(dropping.length).toBeLessThanOrEqual(1)
      await t.makeDue(file.id)
      await Promise.all(['lake', 'attic', 'cellar'].flatMap((name) => [one.drop(name), two.drop(name)]))
      expect(Object.values(await t.states(file))).toContain('proved')
      expect(await one.bytesOf(file)).toBe('hello')
    }
  })

  it('gets re-created copies under unused references when it is required again', async () => {
    const before = await t.configure(both)
    const file = await before.coldFile('hello')
    const after = await t.configure(leavingAttic)
    await after.walk()
    await t.makeDue(file.id)
    await after.drop('attic')
    const dropped = await t.copy(file, 'attic')

    await before.walk()
    expect(await t.copy(file, 'attic')).toMatchObject({ state: 'planned', reference: `${file.id}_2`, blobId: null })
    await before.store(file, 'attic')
    await before.prove(file, 'attic')
    // A late removal of the old copy.
    const { blobId, reference, ref } = dropped
    await before.networks.get('attic')?.remove({ blobId: blobId ?? '', reference, ref }, AbortSignal.timeout(10_000))
    await t.hideCopy(file, 'lake')
    expect(await before.bytesOf(file)).toBe('hello')
  })

  it('does not drop a copy of an evicting file, and does not evict a file while a copy is dropped', async () => {
    const file = await t.provedFile('hello')
    const after = await t.configure(leavingAttic)
    await after.evict(file)
    await after.walk()
    expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'proved' })
    await after.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
    expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'dropping' })

    const other = await t.provedFile('other')
    await t.database.sql(`update copy_walk set begun_at = '-infinity', after = null`)
    await after.walk()
    await after.evict(other)
    expect(await t.read(other.id)).toMatchObject({ status: 'synced', evictingAt: null })
    await t.makeDue(other.id)
    await after.drop('attic')
    await after.evict(other)
    await after.evict(other)
    expect(await t.read(other.id)).toMatchObject({ status: 'cold' })
  })
})

describe('an unconfigured network', () => {
  it('leaves its copies unchanged, and a file that it may have is not lost', async () => {
    const file = await (await t.configure(both)).coldFile('hello')
    const after = await t.configure({ lake: 'required' })
    await after.walk()
    expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'proved' })
    await t.hideCopy(file, 'lake')
    await t.makeDue(file.id)
    await after.check('lake')
    expect(await t.states(file)).toEqual({ lake: 'planned', attic: 'proved' })
    expect(await t.read(file.id)).toMatchObject({ status: 'cold', errorCode: null })
    await expect(after.bytesOf(file)).rejects.toMatchObject({ code: 'unavailable' })
    await after.store(file, 'lake')
    expect(await t.read(file.id)).toMatchObject({ status: 'cold', errorCode: null })
  })
})
