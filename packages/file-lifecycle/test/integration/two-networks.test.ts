import { NetworkError } from '@tideport/storage-network/errors'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { retryFile } from '../../src/copies/retry-file.ts'
import { storeCopy } from '../../src/copies/store-copy.ts'
import { must, never } from '../bundle.ts'
import { keepReading, setupNetworks } from '../networks-bundle.ts'

const t = setUpOnce(setup)

const both = { lake: 'required', attic: 'required' } as const

async function setup() {
  const t = await setupNetworks('lake', 'attic')
  return Object.assign(t, await t.configure(both))
}

/** A worker for a network that rejects every store. */
function refuseOn(name: string) {
  const stage = async () => {
    throw new NetworkError('refused', 'Not here')
  }
  return t.copyWorker(storeCopy(t.storeDeps, { ...t.networkOf(name), stage }), name)
}

describe('a file on two networks', () => {
  it('is synced by its first copy with one event, and evicted only when both copies are proved', async () => {
    const file = await t.hotFile('hello')
    expect(await t.states(file)).toEqual({ attic: 'planned', lake: 'planned' })
    await t.store(file, 'attic')
    expect(await t.read(file.id)).toMatchObject({ status: 'synced' })
    await t.prove(file, 'attic')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictingAt: null, evictAttempt: 1 })

    await t.store(file, 'lake')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictingAt: null, evictAttempt: 2 })
    await t.prove(file, 'lake')
    expect(await t.states(file)).toEqual({ attic: 'proved', lake: 'proved' })
    await t.evict(file)
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold', hotKey: null })
    expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced', 'file.cold'])
    expect(await t.bytesOf(file)).toBe('hello')
  })

  it('sends one event when both networks store it at the same time, repeatedly', async () => {
    for (let round = 0; round < 5; round += 1) {
      const file = await t.hotFile(`hello ${round}`)
      await Promise.all([t.store(file, 'lake'), t.store(file, 'attic')])
      expect(await t.states(file)).toEqual({ attic: 'stored', lake: 'stored' })
      await Promise.all([t.prove(file, 'lake'), t.prove(file, 'attic')])
      expect(await t.states(file)).toEqual({ attic: 'proved', lake: 'proved' })
      expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced'])
      expect((await t.read(file.id)).evictDueAt).not.toBeNull()
    }
  })

  it('keeps its hot bytes while a network has lost its copy, until that is healed', async () => {
    const file = await t.provedFile('hello')
    await t.evict(file)
    await t.hideCopy(file, 'attic')
    await t.evict(file)
    expect(await t.hotTier.head(must(file.hotKey))).toBe(5)
    await Promise.all([t.check('lake'), t.check('attic')])
    expect(await t.states(file)).toEqual({ attic: 'planned', lake: 'proved' })
    await t.store(file, 'attic')
    await t.prove(file, 'attic')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
  })

  it('is read from the other network when one has lost it, has wrong bytes, or is down', async () => {
    const file = await t.coldFile('hello')
    await t.hideCopy(file, 'lake')
    expect(await t.bytesOf(file)).toBe('hello')
    await t.showCopy(file, 'lake')
    await t.spoilCopy(file, 'lake')
    expect(await t.bytesOf(file)).toBe('hello')
    await t.takeNetworkDown('lake')
    expect(await t.bytesOf(file)).toBe('hello')
    await t.hideCopy(file, 'attic')
    // One of the networks may still have the file.
    await expect(t.bytesOf(file)).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('a lost copy of a cold file', () => {
  it.each(['lake', 'attic'])(
    'on %s is detected by its check and healed from the other copy, while reads continue',
    async (name) => {
      const file = await t.coldFile('hello')
      const stopReading = keepReading(t, file, 'hello')
      await t.hideCopy(file, name)
      await t.assignCopies(file.id, 'due_at = now()')
      await t.check('lake')
      await t.check('attic')
      expect(await t.states(file)).toEqual({ attic: 'proved', lake: 'proved', [name]: 'planned' })
      expect((await t.copy(file, name)).lostAt).not.toBeNull()
      await t.store(file, name)
      await t.prove(file, name)
      expect(await t.copy(file, name)).toMatchObject({ state: 'proved', lostAt: null, reference: `${file.id}_1` })
      expect(await stopReading()).toBeGreaterThan(0)
      expect(await t.read(file.id)).toMatchObject({ status: 'cold', errorCode: null })
      expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced', 'file.cold'])
    },
  )

  it('waits for an unavailable source without counting, and the file is not lost', async () => {
    const file = await t.coldFile('hello')
    await t.hideCopy(file, 'lake')
    await t.assignCopies(file.id, 'due_at = now()')
    await t.check('lake')
    await t.takeNetworkDown('attic')
    await t.store(file, 'lake')
    expect(await t.copy(file, 'lake')).toMatchObject({ state: 'planned', attempt: 0, claimedUntil: null })
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
    await t.bringNetworkUp('attic')
    await t.makeDue(file.id)
    await t.store(file, 'lake')
    expect(await t.copy(file, 'lake')).toMatchObject({ state: 'stored' })
  })

  it('that is found again is a source for the other lost copy', async () => {
    const file = await t.coldFile('hello')
    for (const name of ['lake', 'attic']) await t.hideCopy(file, name)
    await t.assignCopies(file.id, 'due_at = now()')
    await t.check('lake')
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
    await t.check('attic')
    expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: 'content_lost' })
    await t.showCopy(file, 'attic')
    await t.store(file, 'attic')
    await t.store(file, 'lake')
    expect(await t.states(file)).toEqual({ attic: 'stored', lake: 'stored' })
    expect(await t.read(file.id)).toMatchObject({ status: 'cold', errorCode: null })
    expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced', 'file.cold', 'file.error'])
    expect(await t.bytesOf(file)).toBe('hello')
  })
})

describe('a network that rejects every store', () => {
  it('puts no file in error that the other network has, and a retry plans its copies again', async () => {
    const file = await t.hotFile('hello')
    await t.store(file, 'lake')
    await refuseOn('attic')(file)
    expect(await t.states(file)).toEqual({ attic: 'failed', lake: 'stored' })
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', errorCode: null })
    await t.prove(file, 'lake')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictingAt: null })

    const deps = { db: t.db, hotTier: t.hotTier, networks: t.networks, settleSeconds: 0 }
    const seen = { ...(await t.read(file.id)), seenAt: new Date() }
    expect(await retryFile(deps, seen, { signal: never })).toMatchObject({ outcome: 'retried' })
    await t.store(file, 'attic')
    expect(await t.states(file)).toEqual({ attic: 'stored', lake: 'proved' })
  })

  it('puts a file in error only when no other network is left to try', async () => {
    const file = await t.hotFile('hello')
    await refuseOn('attic')(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'hot', errorCode: null })
    await refuseOn('lake')(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: 'network_refused' })
    expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.error'])
  })
})
