import { readNetworkUsage } from '@tideport/file-lifecycle/state/usage-days'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { usage } from '../../src/usage.ts'
import { setupInstallation } from '../installation.ts'

const t = setUpOnce(() => setupInstallation('lake', 'attic'))

describe('operator usage', () => {
  it('reports nothing if the counts match the rows of copies, including trash and changes', async () => {
    await t.coldFile()
    await t.trash(await t.coldFile())
    expect(await t.run(usage, ['--json'])).toMatchObject({ rows: [], failure: null })
  })

  it('lists wrong sums, and corrects the usage of accounts with --fix', async () => {
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

  it('applies the current billing of networks to rows and to the usage of accounts', async () => {
    await t.coldFile()
    await t.database.sql(`update copy set billed_bytes = 131072 where network = 'attic'`)
    expect(await readNetworkUsage(t.db, t.accountId)).toMatchObject([{ network: 'attic', bytes: 131_072 }, {}])
    expect((await t.run(usage, [])).failure).toMatch(/^1 copies have other billed bytes, and 0 sums/)
    expect((await t.run(usage, ['--fix'])).failure).toBeNull()
    expect(await readNetworkUsage(t.db, t.accountId)).toMatchObject([{ network: 'attic', bytes: 5 }, { bytes: 5 }])
  })
})
