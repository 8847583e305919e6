import { readNetworks } from '@tideport/file-lifecycle/copies/network-settings'
import { networksOf } from '@tideport/file-lifecycle/copies/networks'
import { openStorageNetwork } from '@tideport/storage-network/open-network'
import { describe, expect, it } from 'vitest'
import { readUploadCostRoute } from '../../src/uploads/upload-cost.ts'
import { newAccount, sharedBundle } from '../bundle.ts'
import { clientOf } from '../client.ts'
import { makeSynced } from '../later-states.ts'

const MIB = 1024 ** 2

/** Size of a tree over two leaves: one block and the bytes before it. */
const TREE_BYTES = 147

const t = sharedBundle({
  networkNames: ['disk', 'shelf'],
  env: {
    NETWORK_DISK_STORE_PRICE_GB_MONTH: '0.02',
    NETWORK_SHELF_STORE_PRICE_GB_MONTH: '0.004',
    PRICE_CURRENCY: 'EUR',
    MAX_FILE_BYTES: String(10 * MIB),
  },
})

describe('POST /api/files/upload/cost', () => {
  it('returns the billed bytes on each required network, and their cost', async () => {
    const client = clientOf(t)
    const json = { vaultId: await client.defaultVault(), sizeBytes: 2 * MIB }
    const { status, body } = await client.call('POST', '/api/files/upload/cost', { json })
    const billedBytes = 2 * MIB + TREE_BYTES
    const shared = { driver: 'embedded', billedBytes, leaseExpiresAt: null }
    expect(status).toBe(200)
    expect(body).toEqual({
      sizeBytes: 2 * MIB,
      networks: [
        { network: 'disk', ...shared, costPerMonth: Number((billedBytes * 2e-11).toPrecision(12)) },
        { network: 'shelf', ...shared, costPerMonth: Number((billedBytes * 4e-12).toPrecision(12)) },
      ],
      billedBytes: 2 * billedBytes,
      costPerMonth: Number((billedBytes * 2.4e-11).toPrecision(12)),
      currency: 'EUR',
    })
    expect((await client.call('GET', '/api/files')).body.files).toEqual([])
  })

  it('returns 404 for a missing, trashed, or foreign vault, and 413 for a file that is too large', async () => {
    const client = clientOf(t)
    const cost = async (vaultId: string, sizeBytes = 5) =>
      await client.call('POST', '/api/files/upload/cost', { json: { vaultId, sizeBytes } })
    const thrownAway = await client.createVault('Old', 'public')
    await client.call('DELETE', `/api/vaults/${thrownAway.id}`)
    for (const id of [newAccount(), 'none', thrownAway.id, await clientOf(t).defaultVault()]) {
      expect((await cost(id)).status, id).toBe(404)
    }
    const vaultId = await client.defaultVault()
    expect(await cost(vaultId, 10 * MIB + 1)).toMatchObject({
      status: 413,
      body: { code: 'too_large', details: { maxSizeBytes: 10 * MIB } },
    })
    expect((await cost(vaultId, -1)).status).toBe(400)
    const other = clientOf(t, client.accountId, { scopes: ['vaults:read'] })
    expect((await other.call('POST', '/api/files/upload/cost', { json: { vaultId, sizeBytes: 5 } })).status).toBe(403)
  })
})

describe('usage of networks', () => {
  it('is the billed bytes of their copies, in the order of the networks, until the file is deleted permanently', async () => {
    const client = clientOf(t)
    const usage = async () => (await client.call('GET', '/api/account')).body.usage.networks
    const file = await client.hotFile(Buffer.alloc(2 * MIB))
    expect(await usage()).toEqual([])
    await makeSynced(t, file.id)
    const counted = { copies: 1, billedBytes: 2 * MIB + TREE_BYTES }
    expect(await usage()).toEqual([
      { network: 'disk', ...counted },
      { network: 'shelf', ...counted },
    ])
    await client.call('DELETE', `/api/files/${file.id}`)
    expect(await usage()).toHaveLength(2)
    await client.call('DELETE', `/api/files/${file.id}?permanent=true`)
    expect(await usage()).toEqual([])
  })
})

describe('a bucket whose copies are locked', () => {
  it('returns the end of retention and the minimum billed bytes of a copy, and null for unknown costs', async () => {
    const client = clientOf(t)
    const vault = { DRIVER: 's3', BUCKET: 'cold', ACCESS_KEY_ID: 'id', SECRET_ACCESS_KEY: 'secret' }
    const bills = { LOCK_DAYS: '90', STORAGE_CLASS: 'GLACIER_IR', MIN_BILLED_BYTES: '131072' }
    const env = Object.entries({ ...vault, ...bills }).map(([word, value]) => [`NETWORK_VAULT_${word}`, value])
    const storageNetworks = readNetworks('vault', Object.fromEntries(env))
    const nobody = { installationId: async () => 'of-a-test' }
    const opened = await Promise.all(storageNetworks.map((one) => openStorageNetwork(one, nobody)))
    const networks = networksOf(opened, storageNetworks)
    const route = readUploadCostRoute({ db: t.db, networks, config: { ...t.config, storageNetworks } })
    const body = { vaultId: await client.defaultVault(), sizeBytes: 5 }
    const now = Date.now()
    const answer = await route.handle({ principal: { accountId: client.accountId }, body } as never)
    expect(answer).toMatchObject({ billedBytes: 131_072, costPerMonth: null, currency: null })
    const [{ leaseExpiresAt, ...copy } = {}] = (answer as { networks: { leaseExpiresAt?: string }[] }).networks
    expect(copy).toEqual({ network: 'vault', driver: 's3', billedBytes: 131_072, costPerMonth: null })
    expect(Math.abs(Date.parse(leaseExpiresAt ?? '') - now - 90 * 86_400_000)).toBeLessThan(60_000)
  })
})
