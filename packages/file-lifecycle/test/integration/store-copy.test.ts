import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { must, never } from '../bundle.ts'
import { holdAt } from '../hold-at.ts'
import { setupStoring } from '../storing.ts'

const t = setUpOnce(setupStoring)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function networkBytes({ id }: { id: string }): Promise<string> {
  const { blobId, reference, ref } = await t.copy({ id })
  return (await buffer(await t.network.open({ blobId: must(blobId), reference, ref }, { signal: never }))).toString()
}

describe('the first copy of a file', () => {
  it('is stored, sends one event, and keeps the hot bytes for their retention', async () => {
    const { id, hotKey } = await t.hotFile('hello')
    await t.store({ id })
    const file = await t.read(id)
    expect(file).toMatchObject({ status: 'synced', sha256: sha256('hello'), hotKey, evictDueAt: null })
    expect(must(file.hotUntil).getTime() - must(file.syncedAt).getTime()).toBe(60_000)
    // Proved when the hot bytes may be deleted, because a proof is most useful then.
    expect(await t.copy({ id })).toMatchObject({
      ...{ state: 'stored', reference: `${id}_1`, attempt: 0, claimedUntil: null, unfinishedClaims: 0, lostAt: null },
      dueAt: file.hotUntil,
      storedAt: file.syncedAt,
    })
    expect(await networkBytes({ id })).toBe('hello')
    expect(await t.events(id)).toEqual(['file.hot', 'file.copied', 'file.synced'])
  })

  it('is stored once by two concurrent workers and a late job', async () => {
    const file = await t.hotFile()
    await Promise.all([t.store(file), t.store(file)])
    await t.store(file)
    expect(await t.copy(file)).toMatchObject({ state: 'stored', fencingToken: 1 })
    expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced'])
  })

  it('is not stored for a file in the trash, in a trashed vault, or nowhere', async () => {
    const [trashed, inTrashedVault] = [await t.hotFile(), await t.hotFile()]
    await t.assign(trashed.id, 'deleted_at = now(), version = version + 1')
    await t.store(trashed)
    await t.database.sql('update vault set deleted_at = now()')
    await t.store(inTrashedVault)
    await t.store({ id: crypto.randomUUID() })
    for (const file of [trashed, inTrashedVault]) {
      expect(await t.copy(file)).toMatchObject({ state: 'planned', fencingToken: 0 })
    }
  })
})

describe('a store that lost its claim', () => {
  it('cannot overwrite the result of the next claim', async () => {
    await using held = await holdAt('store.before-commit')
    const file = await t.hotFile()
    const first = t.store(file)
    await waitFor(async () => (await t.copy(file)).blobId, { what: 'the first worker to be held' })
    await t.assignCopies(file.id, 'claimed_until = now(), blob_id = null')
    const second = t.store(file)
    await waitFor(async () => (await t.copy(file)).blobId, { what: 'the second worker to be held' })
    await held.release()
    await Promise.all([first, second])
    expect(await t.copy(file)).toMatchObject({ state: 'stored', fencingToken: 2 })
    expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced'])
  })
})

describe('a store that cannot succeed', () => {
  it.each([
    ['size_mismatch', 'size_bytes = 6'],
    ['checksum_mismatch', `checksum_declared = '${sha256('other')}'`],
  ])('puts the file in error at once as %s, and keeps the bytes', async (code, assignment) => {
    const file = await t.hotFile('hello')
    await t.assign(file.id, assignment)
    await t.store(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: code, hotKey: file.hotKey })
    expect(await t.copy(file)).toMatchObject({ state: 'failed', dueAt: null, claimedUntil: null })
    expect(await t.hotTier.head(must(file.hotKey))).toBe(5)
    expect(await t.events(file.id)).toEqual(['file.hot', 'copy.failed', 'file.error'])
    expect(await t.directory.list()).toEqual([])
  })

  it('accepts a declared checksum in capitals', async () => {
    const file = await t.hotFile('hello')
    await t.assign(file.id, `checksum_declared = '${sha256('hello').toUpperCase()}'`)
    await t.store(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced' })
  })

  it.each([
    ['unknown', 'null'],
    ['known, as for an upload in one call', `repeat('0', 64)`],
  ])(
    'puts the file in error when the hot object is missing and nothing was stored, with a checksum that is %s',
    async (_, checksum) => {
      const file = await t.hotFile()
      await t.assign(file.id, `sha256 = ${checksum}`)
      await t.hotTier.remove(must(file.hotKey))
      await t.store(file)
      expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: 'hot_copy_missing' })
    },
  )

  it('continues from the copy of an interrupted store when the hot object is missing', async () => {
    const file = await t.hotFile('hello')
    await t.store(file)
    await t.assign(file.id, `status = 'hot', synced_at = null, sha256 = null`)
    await t.assignCopies(file.id, `state = 'planned', due_at = now()`)
    await t.hotTier.remove(must(file.hotKey))
    await t.store(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', sha256: sha256('hello') })
    expect(await networkBytes(file)).toBe('hello')
  })

  it('fails permanently after twenty claims without an outcome', async () => {
    const [good, bad] = [await t.hotFile(), await t.hotFile()]
    await t.assignCopies(good.id, 'unfinished_claims = 19')
    await t.assignCopies(bad.id, 'unfinished_claims = 20')
    await t.store(good)
    await t.store(bad)
    expect(await t.copy(good)).toMatchObject({ state: 'stored', unfinishedClaims: 0 })
    expect(await t.read(bad.id)).toMatchObject({ status: 'error', errorCode: 'interrupted', hotKey: bad.hotKey })
    expect(await t.events(bad.id)).toEqual(['file.hot', 'copy.failed', 'file.error'])
  })
})

describe('a lost copy', () => {
  const lost = `state = 'planned', lost_at = now(), due_at = now()`

  it('is only verified when it exists again, and sends no event', async () => {
    const file = await t.syncedFile('hello')
    await t.hotTier.remove(must(file.hotKey))
    await t.assignCopies(file.id, lost)
    await t.store(file)
    expect(await t.copy(file)).toMatchObject({ state: 'stored', lostAt: null })
    expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced'])
  })

  it('is stored again from the hot bytes, also in the trash', async () => {
    const file = await t.syncedFile('hello')
    await t.directory.corrupt(`${(await t.copy(file)).blobId}/${file.id}_1`, 2)
    await t.assignCopies(file.id, lost)
    await t.assign(file.id, 'deleted_at = now()')
    await t.store(file)
    expect(await t.copy(file)).toMatchObject({ state: 'stored', lostAt: null })
    expect(await networkBytes(file)).toBe('hello')
  })

  it('is never re-created from bytes that differ from the synced ones', async () => {
    const file = await t.syncedFile('hello')
    await t.assignCopies(file.id, `${lost}, blob_id = null`)
    await t.assign(file.id, `sha256 = '${sha256('other')}'`)
    await t.store(file)
    expect(await t.copy(file)).toMatchObject({ state: 'failed', storedAt: expect.any(Date) })
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', errorCode: null })
  })

  it('puts the file in error without hot bytes, and clears the error when it returns, without making the file hot', async () => {
    const file = await t.syncedFile('hello')
    await t.hotTier.remove(must(file.hotKey))
    await t.assignCopies(file.id, lost)
    await t.hideCopy(file)
    await t.store(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: 'content_lost', hotKey: file.hotKey })
    expect(await t.copy(file)).toMatchObject({ state: 'planned', attempt: 1, claimedUntil: null })

    await t.showCopy(file)
    await t.makeDue(file.id)
    await t.store(file)
    const healed = await t.read(file.id)
    expect(healed).toMatchObject({ status: 'synced', errorCode: null, error: null })
    expect(must(healed.hotUntil).getTime()).toBeLessThanOrEqual(Date.now())
  })
})
