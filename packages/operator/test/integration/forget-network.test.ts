import { networksEnvironment } from '@tideport/file-lifecycle/testing/networks-environment'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { deadLetters } from '../../src/dead-letters/dead-letters.ts'
import { forgetNetwork } from '../../src/forget-network.ts'
import { setupInstallation } from '../installation.ts'

const t = setUpOnce(() => setupInstallation('lake', 'burnt'))

/** The configuration without the lost network. */
const withoutBurnt = () => networksEnvironment({ lake: { dir: t.directoryOf('lake').path } })
const tell = (...args: string[]) => t.run(forgetNetwork, ['burnt', ...args], withoutBurnt())
const forget = () => tell('--json', '--fix')
const states = async (file: { id: string }) =>
  Object.fromEntries((await t.found(file.id)).copies.map(({ network, state }) => [network, state]))

describe('operator forget-network', () => {
  it('marks all copies on the network as dropped, in every state, and leaves other copies unchanged', async () => {
    const [cold, hot] = [await t.coldFile(), await t.hotFile()]
    expect((await forget()).rows).toEqual([{ copies: 2, alone: 0, inError: 0 }])
    expect(await states(cold)).toEqual({ lake: 'proved', burnt: 'dropped' })
    expect(await states(hot)).toEqual({ lake: 'planned', burnt: 'dropped' })
    const now = await t.read(cold.id)
    expect(now).toMatchObject({ status: 'cold', version: cold.version + 1 })
    expect((await t.events(cold.id)).at(-1)).toBe('copy.dropped')
    expect((await forget()).rows).toEqual([{ copies: 0, alone: 0, inError: 0 }])
  })

  it('takes a copy from a process that works on it', async () => {
    const file = await t.hotFile()
    await t.database.sql(`update copy set claimed_until = now() + interval '1 minute' where network = 'burnt'`)
    const { fencingToken } = await t.copy(file, 'burnt')
    await forget()
    expect(await t.copy(file, 'burnt')).toMatchObject({
      state: 'dropped',
      claimedUntil: null,
      fencingToken: fencingToken + 1,
    })
  })

  it('changes nothing without --fix, and counts files whose only copy is on the network', async () => {
    const alone = await t.coldFile()
    await t.database.sql(`update copy set state = 'failed', due_at = null where network = 'lake'`)
    const before = await t.read(alone.id)
    expect((await tell('--json')).rows).toEqual([{ copies: 1, alone: 1, inError: 0 }])
    expect((await tell()).lines).toEqual([
      '1 copies would be dropped, 1 of them the last copy of a file. To drop them, use --fix',
    ])
    expect(await t.read(alone.id)).toEqual(before)
    expect(await states(alone)).toMatchObject({ burnt: 'proved' })
    expect((await forget()).rows).toEqual([{ copies: 1, alone: 1, inError: 1 }])
    expect(await t.read(alone.id)).toMatchObject({ status: 'error', errorCode: 'content_lost' })
    expect((await t.run(deadLetters, ['--files', '--json'], withoutBurnt())).rows).toMatchObject([{ fileId: alone.id }])
  })

  it('continues a purge that waited for the network', async () => {
    const file = await t.coldFile()
    await t.beginPurge(file)
    await t.settle(file)
    expect((await forget()).rows).toMatchObject([{ copies: 1, alone: 0 }])
    await t.pass(file)
    expect(await t.exists(file)).toBe(false)
  })

  it('rejects a configured network, whatever its role', async () => {
    const file = await t.coldFile()
    const leaving = { ...t.env, NETWORK_BURNT_ROLE: 'leaving' }
    for (const env of [t.env, leaving]) {
      expect((await t.run(forgetNetwork, ['burnt'], env)).failure).toContain('burnt is configured')
    }
    expect(await states(file)).toEqual({ lake: 'proved', burnt: 'proved' })
    expect((await t.run(forgetNetwork, [])).failure).toBe('name one network')
  })
})
