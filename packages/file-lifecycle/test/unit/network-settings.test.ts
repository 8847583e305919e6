import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { describe, expect, it } from 'vitest'
import { readNetworks } from '../../src/copies/network-settings.ts'

const GIB = 1024 ** 3

describe('the networks of an environment', () => {
  it('are in the order of STORAGE_NETWORKS, each with its own settings', () => {
    const env = {
      NETWORK_DISK_A_DIR: '/a',
      NETWORK_DISK_A_RESERVE_BYTES: '5',
      NETWORK_LAKE_DIR: '/lake',
      NETWORK_OLD_DIR: '/old',
      NETWORK_OLD_ROLE: 'leaving',
    }
    expect(readNetworks('old, lake,,disk-a', env)).toEqual([
      { name: 'old', driver: 'embedded', role: 'leaving', dir: '/old', reserveBytes: GIB },
      { name: 'lake', driver: 'embedded', role: 'required', dir: '/lake', reserveBytes: GIB },
      { name: 'disk-a', driver: 'embedded', role: 'required', dir: '/a', reserveBytes: 5 },
    ])
  })

  it('reject misspelled settings, and ignore those of other networks', () => {
    const env = {
      NETWORK_DISK_DIR: '/a',
      NETWORK_DISK_X_DRIVER: 's3',
      NETWORK_DISK_X_RPC_TOKEN_FILE: '/t',
      NETWORK_DISK_2_DIR: '/b',
      NETWORK_DISC_DIR: '/c',
    }
    expect(readNetworks('disk', env)).toMatchObject([{ name: 'disk', dir: '/a' }])
    const misspelled = { NETWORK_DISK_RESERVE_BYTE: '5', NETWORK_DISK_LOCK_DAY: '9' }
    for (const [name, text] of Object.entries(misspelled)) {
      expect(() => readNetworks('disk', { ...env, [name]: text })).toThrow(
        `${name}: unknown setting. Did you mean ${name}S?`,
      )
    }
  })

  it('can be buckets, each with its own address, keys, and rules', () => {
    const env = {
      NETWORK_NEAR_DRIVER: 's3',
      NETWORK_NEAR_ENDPOINT: 'https://s3.example.org',
      NETWORK_NEAR_REGION: 'eu-central-1',
      NETWORK_NEAR_BUCKET: 'cold-near',
      NETWORK_NEAR_FORCE_PATH_STYLE: 'true',
      NETWORK_NEAR_ACCESS_KEY_ID: 'near-id',
      NETWORK_NEAR_SECRET_ACCESS_KEY: 'near-secret',
      NETWORK_NEAR_LOCK_DAYS: '90',
      NETWORK_NEAR_LOCK_MODE: 'compliance',
      NETWORK_NEAR_CHECK_BYTES_PER_DAY: '1000',
      NETWORK_NEAR_READ_PRICE_GB: '0.09',
      NETWORK_NEAR_STORE_PRICE_GB_MONTH: '0.006',
      NETWORK_FAR_DRIVER: 's3',
      NETWORK_FAR_BUCKET: 'cold-far',
      NETWORK_FAR_ACCESS_KEY_ID: 'far-id',
      NETWORK_FAR_SECRET_ACCESS_KEY: 'far-secret',
      NETWORK_FAR_STORAGE_CLASS: 'DEEP_ARCHIVE',
      NETWORK_FAR_MIN_BILLED_BYTES: '40960',
      NETWORK_FAR_RESTORE_TIER: 'bulk',
    }
    const [near, far] = readNetworks('near,far', env)
    expect(near).toEqual({
      ...{ name: 'near', driver: 's3', role: 'required', endpoint: 'https://s3.example.org', region: 'eu-central-1' },
      ...{ bucket: 'cold-near', forcePathStyle: true, accessKeyId: 'near-id', secretAccessKey: 'near-secret' },
      ...{ lock: { mode: 'compliance', days: 90 }, restore: { tier: 'standard', days: 3 } },
      checkBudget: { bytesPerDay: 1000 },
      readPriceGb: 0.09,
      storePriceGbMonth: 0.006,
    })
    expect(far).toEqual({
      ...{
        name: 'far',
        driver: 's3',
        role: 'required',
        region: 'us-east-1',
        bucket: 'cold-far',
        forcePathStyle: false,
      },
      ...{ accessKeyId: 'far-id', secretAccessKey: 'far-secret', storageClass: 'DEEP_ARCHIVE', isArchive: true },
      minBilledBytes: 40_960,
      restore: { tier: 'bulk', days: 3 },
    })
  })

  it('read secrets from files, and never show them', async () => {
    await using directory = await createTemporaryDirectory('network-secret')
    const file = join(directory.path, 'key')
    await writeFile(file, 'from-a-file\n')
    const env = { NETWORK_A_DRIVER: 's3', NETWORK_A_BUCKET: 'cold', NETWORK_A_ACCESS_KEY_ID: 'id' }
    expect(readNetworks('a', { ...env, NETWORK_A_SECRET_ACCESS_KEY_FILE: file })).toMatchObject([
      { secretAccessKey: 'from-a-file' },
    ])
    const both = { ...env, NETWORK_A_SECRET_ACCESS_KEY_FILE: file, NETWORK_A_SECRET_ACCESS_KEY: 'given twice' }
    expect(() => readNetworks('a', both)).toThrow(
      /^NETWORK_A_SECRET_ACCESS_KEY_FILE: NETWORK_A_SECRET_ACCESS_KEY is also set; set only one of them$/,
    )
  })

  it('default to STORAGE_NETWORK, named after its driver', () => {
    const embedded = { name: 'embedded', driver: 'embedded', role: 'required', dir: '/d', reserveBytes: GIB }
    expect(readNetworks('', { EMBEDDED_NETWORK_DIR: '/d' })).toEqual([embedded])
    expect(readNetworks(' , ', { EMBEDDED_NETWORK_DIR: '/d' })).toEqual([embedded])
    const node = { urls: ['http://ipfs:5001'], directory: '/tideport', collectionSeconds: 600 }
    const ipfs = { name: 'ipfs', driver: 'ipfs', role: 'required', ...node }
    expect(readNetworks('', { STORAGE_NETWORK: 'ipfs', NETWORK_IPFS_RPC_URLS: 'http://ipfs:5001' })).toEqual([ipfs])
  })

  it('can be IPFS nodes with their settings', () => {
    const env = {
      NETWORK_LAKE_DRIVER: 'ipfs',
      NETWORK_LAKE_RPC_URLS: 'https://a.example/kubo, http://b:5001',
      NETWORK_LAKE_RPC_TOKEN: 'let-me-in',
      NETWORK_LAKE_MFS_DIRECTORY: '/apps/tideport',
      NETWORK_LAKE_GC_SECONDS: '60',
    }
    const urls = ['https://a.example/kubo', 'http://b:5001']
    const node = { urls, token: 'let-me-in', directory: '/apps/tideport', collectionSeconds: 60 }
    expect(readNetworks('lake', env)).toEqual([{ name: 'lake', driver: 'ipfs', role: 'required', ...node }])
  })

  it('can be Walrus with several publishers and aggregators', () => {
    const env = {
      NETWORK_SEA_DRIVER: 'walrus',
      NETWORK_SEA_PUBLISHERS: 'https://p1.example, https://p2.example',
      NETWORK_SEA_AGGREGATORS: 'https://a.example/walrus',
      NETWORK_SEA_JWT_SECRET: '0x0011',
      NETWORK_SEA_SEND_OBJECT_TO: `0x${'a1'.repeat(32)}`,
    }
    const sea = {
      ...{ name: 'sea', driver: 'walrus', role: 'required', publishers: ['https://p1.example', 'https://p2.example'] },
      ...{ aggregators: ['https://a.example/walrus'], jwtSecret: '0x0011', jwtSeconds: 600 },
      ...{ epochs: 26, epochSeconds: 14 * 86_400, isPermanent: true, sendObjectTo: `0x${'a1'.repeat(32)}` },
      ...{ maxBlobBytes: 10 * 1024 ** 2, checkIdBytes: 16 * 1024 ** 2, propagationSeconds: 60, shards: 1000 },
    }
    expect(readNetworks('sea', env)).toEqual([sea])
    const short = { NETWORK_WALRUS_PUBLISHERS: 'http://p', NETWORK_WALRUS_AGGREGATORS: 'http://a' }
    expect(readNetworks('', { STORAGE_NETWORK: 'walrus', ...short })).toMatchObject([
      { name: 'walrus', aggregators: ['http://a'] },
    ])
  })

  it.each([
    ['no required network', 'a', { NETWORK_A_DIR: '/a', NETWORK_A_ROLE: 'leaving' }, /at least one network/],
    ['a name twice', 'a,a', { NETWORK_A_DIR: '/a' }, /listed twice/],
    ['an invalid name', 'Lake', {}, /"Lake" is not a valid name/],
    ['a name that is too long', 'a'.repeat(33), {}, /is not a valid name/],
    ['no directory', 'disk-a', {}, /NETWORK_DISK_A_DIR: is required/],
    ['no URL of a node', 'a', { NETWORK_A_DRIVER: 'ipfs' }, /NETWORK_A_RPC_URLS: is required/],
    [
      'a login in the URL of a node',
      'a',
      { NETWORK_A_DRIVER: 'ipfs', NETWORK_A_RPC_URLS: 'http://u:p@h' },
      /_RPC_URLS/,
    ],
    ['a directory outside MFS', 'a', { NETWORK_A_MFS_DIRECTORY: 'x/..' }, /NETWORK_A_MFS_DIRECTORY/],
    [
      'no publishers and aggregators',
      'a',
      { NETWORK_A_DRIVER: 'walrus' },
      /_PUBLISHERS: is required.*\n.*_AGGREGATORS/,
    ],
    [
      'epochs that are too short',
      'a',
      {
        ...{ NETWORK_A_DRIVER: 'walrus', NETWORK_A_PUBLISHERS: 'http://p', NETWORK_A_AGGREGATORS: 'http://a' },
        ...{ NETWORK_A_EPOCHS: '14', NETWORK_A_EPOCH_SECONDS: '86400' },
      },
      /NETWORK_A_EPOCHS: \(EPOCHS - 1\) × EPOCH_SECONDS must be at least 30 days/,
    ],
    ['no directory in the short form', '', {}, /EMBEDDED_NETWORK_DIR: is required/],
    [
      'no bucket',
      'a',
      { NETWORK_A_DRIVER: 's3' },
      /NETWORK_A_BUCKET: is required.*\n.*ACCESS_KEY_ID.*\n.*SECRET_ACCESS_KEY/,
    ],
    ['a lease that is always due', 'a', { NETWORK_A_LOCK_DAYS: '20' }, /NETWORK_A_LOCK_DAYS/],
    ['an unknown driver', 'a', { NETWORK_A_DRIVER: 'tape' }, /NETWORK_A_DRIVER/],
    ['an unknown role', 'a', { NETWORK_A_DIR: '/a', NETWORK_A_ROLE: 'primary' }, /NETWORK_A_ROLE/],
  ])('are rejected with %s', (_, names, env: Record<string, string>, message) => {
    expect(() => readNetworks(names, env)).toThrow(message)
  })
})
