import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { purgeConfirmed } from '../../src/removal/purge.ts'
import type { FileRow } from '../../src/state/tables.ts'
import { must } from '../bundle.ts'
import { holdAt } from '../hold-at.ts'
import { setupNetworks } from '../networks-bundle.ts'

const t = setUpOnce(() => setupNetworks('lake', 'attic'))

const both = { lake: 'required', attic: 'required' } as const

const begin = async ({ id, accountId }: FileRow) =>
  must(await purgeConfirmed(t.db, { fileId: id, accountId }, { settleSeconds: 3600, networks: t.networks }))
const settle = ({ id }: { id: string }) =>
  t.assign(id, 'cleanup_after = now(), purge_due_at = now(), claimed_until = null')
const exists = async ({ id }: { id: string }) =>
  (await t.database.sql('select from file where id = $1', [id])).length > 0

describe('a purge of a file on several networks', () => {
  it('removes its copy on each network in every state, and no copies of other files', async () => {
    const c = await t.configure(both)
    const [file, twin] = [await t.provedFile('hello'), await t.provedFile('hello', await t.newAccount())]
    await t.database.sql(`update copy set state = 'planned', lost_at = now() where file_id = $1 and network = 'lake'`, [
      file.id,
    ])
    await t.database.sql(`update copy set state = 'dropping' where file_id = $1 and network = 'attic'`, [file.id])
    await begin(file)
    expect(await c.purge(file)).toBe('settling')
    for (const name of ['lake', 'attic']) {
      const left = await t.directoryOf(name).list()
      expect(left.map((entry) => entry.split('/').at(-1))).toEqual([`${twin.id}_1`])
    }
    await settle(file)
    expect(await c.purge(file)).toBe('gone')
    expect(await t.database.sql('select from copy where file_id = $1', [file.id])).toEqual([])
    expect(await c.bytesOf(twin)).toBe('hello')
  })

  it.each(['attic', 'lake'])('waits for the unconfigured network %s, and removes all other copies', async (away) => {
    const file = await (await t.configure(both)).coldFile('hello')
    const here = away === 'lake' ? 'attic' : 'lake'
    const c = await t.configure({ [here]: 'required' })
    await begin(file)
    await settle(file)
    await expect(c.purge(file)).rejects.toThrow(`the network ${away}, which is not configured`)
    expect(await t.blobsOn(here)).toEqual([])
    expect(await t.blobsOn(away)).toHaveLength(1)
    expect(await exists(file)).toBe(true)
    await settle(file)
    expect(await (await t.configure(both)).purge(file)).toBe('gone')
    expect(await t.blobsOn(away)).toEqual([])
  })

  it('waits for a network that is down, and removes all other copies', async () => {
    const c = await t.configure(both)
    const file = await c.coldFile('hello')
    await begin(file)
    await settle(file)
    await t.assign(file.id, 'unfinished_claims = 100')
    await t.takeNetworkDown('attic')
    await expect(c.purge(file)).rejects.toMatchObject({ code: 'unreachable' })
    expect(await c.purge(file)).toBe('not_due')
    expect(await t.blobsOn('lake')).toEqual([])
    expect(await exists(file)).toBe(true)
    await t.bringNetworkUp('attic')
    await settle(file)
    expect(await c.purge(file)).toBe('gone')
    expect(await t.blobsOn('attic')).toEqual([])
  })

  it('does not require a network whose copy was dropped', async () => {
    const file = await (await t.configure(both)).coldFile('hello')
    const leaving = await t.configure({ lake: 'required', attic: 'leaving' })
    await leaving.walk()
    await t.makeDue(file.id)
    await leaving.drop('attic')
    const c = await t.configure({ lake: 'required' })
    await begin(file)
    await settle(file)
    expect(await c.purge(file)).toBe('gone')
  })

  it('removes a copy that was being stored on the second network', async () => {
    const c = await t.configure(both)
    const file = await t.hotFile('hello')
    await c.store(file, 'lake')
    {
      await using held = await holdAt('store.before-commit')
      const storing = c.store(file, 'attic')
      await waitFor(async () => (await t.copy(file, 'attic')).blobId, { what: 'the worker to be held' })
      const { claimedUntil } = await t.copy(file, 'attic')
      await t.assign(file.id, 'cleanup_after = null')
      const purging = must(
        await purgeConfirmed(
          t.db,
          { fileId: file.id, accountId: file.accountId },
          { settleSeconds: 0, networks: t.networks },
        ),
      )
      expect(must(purging.cleanupAfter).getTime()).toBeGreaterThanOrEqual(must(claimedUntil).getTime())
      expect(await c.purge(file)).toBe('settling')
      await held.release()
      await storing
    }
    await settle(file)
    expect(await c.purge(file)).toBe('gone')
    for (const name of ['lake', 'attic']) expect(await t.blobsOn(name)).toEqual([])
    expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced'])
  })

  it('stops all plans, healing, and drops of copies', async () => {
    const file = await (await t.configure(both)).coldFile('hello')
    await begin(file)
    const c = await t.configure({ lake: 'required', attic: 'leaving', cellar: 'required' })
    await t.hideCopy(file, 'lake')
    await t.assignCopies(file.id, 'due_at = now()')
    await c.walk()
    for (const name of ['lake', 'attic']) await c.check(name)
    expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'proved' })
  })
})
