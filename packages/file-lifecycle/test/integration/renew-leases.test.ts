import { eventMessages } from '@tideport/contracts/internal/messages'
import { NetworkError } from '@tideport/storage-network/errors'
import type { CopyName } from '@tideport/storage-network/storage-network'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { renewLeases } from '../../src/copies/renew-leases.ts'
import { log, must, never } from '../bundle.ts'
import { setupEviction } from '../evict-bundle.ts'

const t = setUpOnce(setup)

const DAY_MS = 24 * 3600 * 1000

/** A network whose copies expire, unlike embedded ones. It grants `days`, or returns an error. */
async function setup() {
  const t = await setupEviction()
  const granted: { days: number | null; error: NetworkError | null; ref?: Record<string, string> } = {
    ...{ days: 365, error: null },
  }
  const asked: string[] = []
  const network = {
    ...t.network,
    caps: { expires: true, removes: false },
    async renew({ reference }: CopyName) {
      asked.push(reference.replace(/_1$/, ''))
      if (granted.error) throw granted.error
      const expiresAt = granted.days === null ? null : new Date(Date.now() + granted.days * DAY_MS)
      return { expiresAt, ...(granted.ref && { ref: granted.ref }) }
    },
  }
  const deps = { ...t.proveDeps, circuit: t.circuit, log }
  /** A file with a copy whose lease begins and expires these numbers of days from now. */
  async function leasedFile({ began, ends }: { began: number; ends: number }) {
    const file = await t.evictableFile()
    await t.assignCopies(
      file.id,
      `lease_expires_at = now() + interval '${ends} days', leased_at = now() + interval '${began} days',
       renew_due_at = now() + interval '${ends} days' - greatest(interval '14 days', interval '${ends - began} days' / 4)`,
    )
    return file
  }
  /** Without its hot bytes. */
  async function makeCold(file: { id: string; hotKey: string }) {
    await t.hotTier.remove(file.hotKey)
    await t.assign(file.id, `status = 'cold', hot_key = null, hot_until = null, evict_due_at = null`)
    await t.database.sql('update account set hot_bytes = hot_bytes - 5')
  }
  const { startOver } = t
  return Object.assign(t, {
    async startOver() {
      Object.assign(granted, { days: 365, error: null, ref: undefined })
      asked.length = 0
      await startOver()
    },
    granted,
    asked,
    leasedFile,
    makeCold,
    renew: () => renewLeases(deps, network, never),
  })
}

describe('the renewal of leases', () => {
  it('stores the new reference data of the network, or keeps the previous data', async () => {
    const file = await t.leasedFile({ began: -16, ends: 13 })
    const before = (await t.copy(file)).ref
    await t.renew()
    expect((await t.copy(file)).ref).toEqual(before)
    await t.assignCopies(file.id, `renew_due_at = now()`)
    t.granted.ref = { endEpoch: '40' }
    await t.renew()
    expect((await t.copy(file)).ref).toEqual({ endEpoch: '40' })
  })

  it('starts when less than the larger of 14 days and a quarter of the lease is left', async () => {
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
    const renewed = await t.copy(must(due[0]))
    expect(must(renewed.leaseExpiresAt).getTime() - Date.now()).toBeGreaterThan(364 * DAY_MS)
    const left = must(renewed.leaseExpiresAt).getTime() - must(renewed.renewDueAt).getTime()
    expect(Math.round(left / DAY_MS)).toBe(91)
    expect(renewed).toMatchObject({ state: 'proved', claimedUntil: null })
    await t.renew()
    expect(t.asked).toHaveLength(3)
  })

  it('renews copies of cold files, also trashed ones, but not of files that are being purged', async () => {
    const leased = () => t.leasedFile({ began: -99, ends: 1 })
    const [cold, trashed, purged] = [await leased(), await leased(), await leased()]
    await t.makeCold(cold)
    await t.assign(trashed.id, 'deleted_at = now()')
    await t.assign(purged.id, 'deleted_at = now(), purging_at = now()')
    await t.renew()
    expect(t.asked.toSorted()).toEqual([cold.id, trashed.id].toSorted())
    for (const file of [cold, trashed]) {
      expect(must((await t.copy(file)).leaseExpiresAt).getTime() - Date.now()).toBeGreaterThan(364 * DAY_MS)
    }
  })

  it('limits renewals on a network that grants very short leases', async () => {
    const file = await t.leasedFile({ began: -99, ends: 1 })
    t.granted.days = 1
    await t.renew()
    await t.renew()
    expect(t.asked).toEqual([file.id])
  })

  it('retries later while the network is down or rejects the renewal, and loses no copy before its lease expires', async () => {
    const [file, over] = [await t.leasedFile({ began: -99, ends: 1 }), await t.leasedFile({ began: -99, ends: -1 })]
    for (const code of ['unreachable', 'refused'] as const) {
      t.granted.error = new NetworkError(code, 'No')
      await t.renew()
      for (const leased of [file, over]) {
        expect(await t.copy(leased)).toMatchObject({ state: 'proved', claimedUntil: null })
        expect(must((await t.copy(leased)).renewDueAt).getTime()).toBeGreaterThan(Date.now() + 3_000_000)
        await t.assignCopies(leased.id, 'renew_due_at = now()')
      }
    }
    t.granted.error = new NetworkError('not_found', 'Gone')
    await t.renew()
    expect(await t.copy(file)).toMatchObject({ state: 'proved' })
  })

  it('sends one event per lease that cannot be renewed, in the last part of the lease', async () => {
    const long = await t.leasedFile({ began: -280, ends: 46 })
    const [early, late] = [await t.leasedFile({ began: -10, ends: 8 }), await t.leasedFile({ began: -10, ends: 6 })]
    t.granted.error = new NetworkError('unreachable', 'No')
    const failToRenew = async () => {
      for (const file of [long, early, late]) await t.assignCopies(file.id, 'renew_due_at = now()')
      await t.renew()
    }
    const toldOf = async ({ id }: { id: string }) =>
      (await t.events(id)).filter((type) => type === 'file.lease_expiring').length
    await failToRenew()
    expect([await toldOf(long), await toldOf(early), await toldOf(late)]).toEqual([0, 0, 1])
    const { leaseExpiresAt, blobId } = await t.copy(late)
    const [event] = await t.database.sql(
      `select jsonb_build_object('eventId', id, 'accountId', account_id, 'payload', payload) as message
       from event where type = 'file.lease_expiring' and is_public`,
    )
    const { payload } = eventMessages['file.lease_expiring'].schema.parse(event?.['message'])
    expect(payload.data).toMatchObject({
      fileId: late.id,
      network: 'embedded',
      leaseExpiresAt: must(leaseExpiresAt).toISOString(),
      storageNetworkBlobId: blobId,
    })
    await failToRenew()
    expect(await toldOf(late)).toBe(1)

    // A second lease of the same length, which is not renewed either.
    t.granted.error = null
    t.granted.days = 5
    await failToRenew()
    expect(await toldOf(late)).toBe(1)
    t.granted.error = new NetworkError('refused', 'No')
    await failToRenew()
    await failToRenew()
    expect([await toldOf(early), await toldOf(late)]).toEqual([1, 2])
  })

  it('marks a copy lost when its lease has expired and the network denies it, and heals it from hot bytes', async () => {
    const leased = () => t.leasedFile({ began: -99, ends: -1 })
    const [synced, trashed, cold] = [await leased(), await leased(), await leased()]
    await t.assign(trashed.id, 'deleted_at = now()')
    await t.makeCold(cold)
    for (const file of [synced, trashed, cold]) await t.hideCopy(file)
    t.granted.error = new NetworkError('not_found', 'Gone')
    await t.renew()
    for (const file of [synced, trashed, cold]) {
      expect(await t.copy(file)).toMatchObject({ state: 'planned', renewDueAt: null })
    }
    expect(await t.read(cold.id)).toMatchObject({ status: 'error', errorCode: 'content_lost' })
    for (const file of [synced, trashed]) {
      await t.store(file)
      expect(await t.copy(file)).toMatchObject({ state: 'stored', lostAt: null })
      expect(await t.read(file.id)).toMatchObject({ status: 'synced', hotKey: file.hotKey })
    }
  })
})
