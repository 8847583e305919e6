import { readNetworkUsage } from '@tideport/file-lifecycle/state/usage-days'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { usage } from '../../src/usage.ts'
import { setupInstallation } from '../installation.ts'

const t = setUpOnce(() => setupInstallation('lake', 'attic'))

describe('operator usage', () => {
  it('has nothing to say where what is counted is what the rows of copies say, trash and changes included', async () => {
    await t.coldFile()
    await t.trash(await t.coldFile())
    expect(await t.run(usage, ['--json'])).toMatchObject({ rows: [], failure: null })
  })

  it('lists sums that are wrong, and with --fix puts right what accounts are told', async () => {
    const file = await t.coldFile()
    const told = () => readNetworkUsage(t.db, t.accountId)
    const right = await told()
    await t.database.sql(`update network_usage_change set bytes = bytes + 2, copies = 3 where network = 'lake'`)
    const wrong = { copiesCounted: 3, copies: 1, bytesCounted: 7, bytes: 5 }
    const { rows, failure } = await t.run(usage, ['--json'])
    expect(rows).toEqual([{ accountId: file.accountId, network: 'lake', ...wrong }])
    expect(failure).toMatch(/^0 copies .*, and 1 sums are wrong/)
    expect((await t.run(usage, ['--fix', '--json'])).failure).toBeNull()
    expect(await told()).toEqual(right)
    expect((await t.run(usage, [])).failure).toBeNull()
  })

  it('has copies billed as the networks do by now, in their rows and in what accounts are told', async () => {
    await t.coldFile()
    await t.database.sql(`update copy set billed_bytes = 131072 where network = 'attic'`)
    expect(await readNetworkUsage(t.db, t.accountId)).toMatchObject([{ network: 'attic', bytes: 131_072 }, {}])
    expect((await t.run(usage, [])).failure).toMatch(/^1 copies have other billed bytes, and 0 sums/)
    expect((await t.run(usage, ['--fix'])).failure).toBeNull()
    expect(await readNetworkUsage(t.db, t.accountId)).toMatchObject([{ network: 'attic', bytes: 5 }, { bytes: 5 }])
  })
})
