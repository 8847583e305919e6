import { NetworkError } from '@tideport/storage-network/errors'
import { describe, expect, it } from 'vitest'
import { renewLeases } from '../../src/copies/renew-leases.ts'
import { markCold } from '../../src/state/transitions.ts'
import { log, must, never } from '../bundle.ts'
import { setupEviction } from '../evict-bundle.ts'

const DAY_MS = 24 * 3600 * 1000

/** A network whose copies expire, which the embedded one's never do: it grants `days`, or answers with an error. */
async function setup() {
  const t = await setupEviction()
  const granted: { days: number | null; error: NetworkError | null } = { days: 365, error: null }
  const asked: string[] = []
  const network = {
    ...t.network,
    caps: { expires: true, removes: false },
    async renew(_blobId: string, fileId: string) {
      asked.push(fileId)
      if (granted.error) throw granted.error
      return { expiresAt: granted.days === null ? null : new Date(Date.now() + granted.days * DAY_MS) }
    },
  }
  /** A file whose lease began and ends so many days from now. */
  async function leasedFile({ began, ends }: { began: number; ends: number }) {
    const file = await t.syncedFile()
    await t.assign(
      file.id,
      `lease_expires_at = now() + interval '${ends} days', leased_at = now() + interval '${began} days',
       renew_due_at = now() + interval '${ends} days' - greatest(interval '14 days', interval '${ends - began} days' / 4)`,
    )
    return file
  }
  return Object.assign(t, { granted, asked, leasedFile, renew: () => renewLeases({ ...t, network, log }, never) })
}

describe('the renewal of leases', () => {
  it('asks when less than the larger of 14 days and a quarter is left, and not before', async () => {
    await using t = await setup()
    const due = [
      await t.leasedFile({ began: -16, ends: 13 }),
      await t.leasedFile({ began: -275, ends: 90 }),
      await t.leasedFile({ began: -400, ends: -1 }),
    ]
    await t.leasedFile({ began: -15, ends: 15 })
    await t.leasedFile({ began: -273, ends: 92 })
    await t.syncedFile()
    await t.renew()
    expect(t.asked.toSorted()).toEqual(due.map(({ id }) => id).toSorted())
    const renewed = await t.read(must(due[0]).id)
    expect(must(renewed.leaseExpiresAt).getTime() - Date.now()).toBeGreaterThan(364 * DAY_MS)
    const left = must(renewed.leaseExpiresAt).getTime() - must(renewed.renewDueAt).getTime()
    expect(Math.round(left / DAY_MS)).toBe(91)
    expect(renewed).toMatchObject({ status: 'synced', claimedUntil: null })
    expect((await t.events(renewed.id)).at(-1)).toBe('lease.renewed')
    await t.renew()
    expect(t.asked).toHaveLength(3)
  })

  it('renews cold files, those in the trash too, and leaves what is being purged to its end', async () => {
    await using t = await setup()
    const leased = () => t.leasedFile({ began: -99, ends: 1 })
    const [cold, trashed, purged] = [await leased(), await leased(), await leased()]
    await t.assign(cold.id, `evicting_at = now()`)
    expect(await markCold(t.db, await t.read(cold.id))).not.toBeNull()
    await t.assign(trashed.id, 'deleted_at = now()')
    await t.assign(purged.id, 'deleted_at = now(), purging_at = now()')
    await t.renew()
    expect(t.asked.toSorted()).toEqual([cold.id, trashed.id].toSorted())
    for (const { id } of [cold, trashed]) {
      expect(must((await t.read(id)).leaseExpiresAt).getTime() - Date.now()).toBeGreaterThan(364 * DAY_MS)
    }
  })

  it('finds a copy lost that is in the trash only once it is restored', async () => {
    await using t = await setup()
    const file = await t.leasedFile({ began: -99, ends: -1 })
    await t.assign(file.id, 'deleted_at = now()')
    t.granted.error = new NetworkError('not_found', 'Gone')
    await t.renew()
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', claimedUntil: null })
    await t.assign(file.id, 'deleted_at = null, renew_due_at = now()')
    await t.renew()
    expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: 'lease_lost' })
  })

  it('does not ask a network all the time that grants next to nothing', async () => {
    await using t = await setup()
    const file = await t.leasedFile({ began: -99, ends: 1 })
    t.granted.days = 1
    await t.renew()
    await t.renew()
    expect(t.asked).toEqual([file.id])
  })

  it('asks again later while the network is down or refuses, and gives nothing up before the end', async () => {
    await using t = await setup()
    const [file, over] = [await t.leasedFile({ began: -99, ends: 1 }), await t.leasedFile({ began: -99, ends: -1 })]
    for (const code of ['unreachable', 'refused'] as const) {
      t.granted.error = new NetworkError(code, 'No')
      await t.renew()
      for (const { id } of [file, over]) {
        expect(await t.read(id)).toMatchObject({ status: 'synced', claimedUntil: null })
        expect(must((await t.read(id)).renewDueAt).getTime()).toBeGreaterThan(Date.now() + 3_000_000)
        await t.assign(id, 'renew_due_at = now()')
      }
    }
    t.granted.error = new NetworkError('not_found', 'Gone')
    await t.renew()
    expect(await t.read(file.id)).toMatchObject({ status: 'synced' })
    expect((await t.events(file.id)).at(-1)).toBe('lease.refused')
  })

  it('ends in error when the lease is over and the network says that the copy is gone, hot bytes kept', async () => {
    await using t = await setup()
    const [synced, cold] = [await t.leasedFile({ began: -99, ends: -1 }), await t.leasedFile({ began: -99, ends: -1 })]
    await t.assign(cold.id, `evicting_at = now()`)
    await t.hotTier.remove(cold.hotKey)
    expect(await markCold(t.db, await t.read(cold.id))).not.toBeNull()
    t.granted.error = new NetworkError('not_found', 'Gone')
    await t.renew()
    expect(await t.read(synced.id)).toMatchObject({ status: 'error', errorCode: 'lease_lost', hotKey: synced.hotKey })
    expect(await t.read(cold.id)).toMatchObject({ status: 'error', errorCode: 'lease_lost', hotKey: null })
    expect(await t.account()).toMatchObject({ hot_bytes: '5' })
    expect((await t.events(cold.id)).at(-1)).toBe('file.error')
  })
})
