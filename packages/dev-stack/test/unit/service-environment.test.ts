import { expect, test } from 'vitest'
import { dataLayout } from '../../src/data-directory/data-layout.ts'
import type { Secrets } from '../../src/data-directory/secrets.ts'
import { coldTierOf, isOnIpfs, isOnNode } from '../../src/services/cold-tier.ts'
import type { PlannedProcess } from '../../src/services/plan-processes.ts'
import { serviceEnvironment, type Wiring } from '../../src/services/service-environment.ts'
import type { ServiceName } from '../../src/services/service-name.ts'

function planned(name: ServiceName, replica: number, port: number): PlannedProcess {
  const [url, adminUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`]
  return { name, replica, port, adminPort: port + 1, url, adminUrl }
}

const processes = [planned('gateway', 0, 8080), planned('files', 0, 9000), planned('files', 1, 9100)]
const secrets: Secrets = {
  roles: { auth: 'a', files: 'f', webhooks: 'w' },
  s3: { accessKeyId: 'own-key', secretAccessKey: 'own-secret' },
  identityTokenKey: { kid: 'k', kty: 'OKP', crv: 'Ed25519', x: 'public', d: 'private' },
  downloadTokenKey: 'download-key',
  webhookSecretKey: 'webhook-key',
  exportSecretKey: 'export-key',
}
const wiring: Wiring = {
  processes,
  secrets,
  databaseUrls: { auth: 'postgres://auth', files: 'postgres://files', webhooks: 'postgres://webhooks' },
  natsUrl: 'nats://own',
  s3: { endpoint: 'http://own-s3', region: 'us-east-1', bucket: 'hot' },
  consoleDir: '/console',
  coldTier: coldTierOf([], dataLayout('/data')).settings,
  host: {},
  overrides: {},
}
const environment = (index: number, more: Partial<Wiring> = {}) =>
  serviceEnvironment(processes[index] as PlannedProcess, { ...wiring, ...more })

test('the gateway is pointed at every replica', () => {
  expect(environment(0)).toMatchObject({ FILES_URL: 'http://127.0.0.1:9000,http://127.0.0.1:9100', PORT: '8080' })
})

test("what is wired stays wired, whatever the developer's shell happens to hold", () => {
  const host = {
    DATABASE_URL: 'postgres://production',
    AWS_ACCESS_KEY_ID: 'production',
    PORT: '1',
    AWS_PROFILE: 'work',
  }
  expect(environment(1, { host })).toMatchObject({
    DATABASE_URL: 'postgres://files',
    AWS_ACCESS_KEY_ID: 'own-key',
    PORT: '9000',
  })
  expect(environment(1, { host })).not.toHaveProperty('AWS_PROFILE')
})

test('a setting of the shell wins over the default of npm start, and an override over both', () => {
  expect(environment(1).DOWNLOAD_URL_SECONDS).toBe('60')
  const host = { DOWNLOAD_URL_SECONDS: '5', OPEN_UPLOADS_MAX: '7' }
  expect(environment(1, { host })).toMatchObject(host)
  expect(environment(1, { host, overrides: { DOWNLOAD_URL_SECONDS: '6' } }).DOWNLOAD_URL_SECONDS).toBe('6')
})

test('a worker, which serves no API, gets no port for one', () => {
  const worker: PlannedProcess = { ...planned('sync', 0, 9200), url: undefined }
  const given = serviceEnvironment(worker, wiring)
  expect(given).not.toHaveProperty('PORT')
  expect(given.ADMIN_PORT).toBe('9201')
})

test('no service but the gateway can sign identity tokens', () => {
  expect(environment(0).IDENTITY_TOKEN_PRIVATE_KEY).toContain('private')
  expect(JSON.stringify(environment(1))).not.toContain('private')
})

test('without names there is one network, by the short form of its settings', () => {
  const given = environment(1)
  expect(given).toMatchObject({ STORAGE_NETWORK: 'embedded', EMBEDDED_NETWORK_DIR: '/data/network' })
  expect(Object.keys(given).filter((name) => /^NETWORK_|^STORAGE_NETWORKS$/.test(name))).toEqual([])
})

test('each network that is named has a directory of its own, and the only one of before keeps its copies', () => {
  const { networkDirs, settings } = coldTierOf(['embedded', 'disk-b'], dataLayout('/data'))
  expect(networkDirs).toEqual({ embedded: '/data/network', 'disk-b': '/data/networks/disk-b' })
  expect(environment(1, { coldTier: settings })).toMatchObject({
    STORAGE_NETWORKS: 'embedded,disk-b',
    NETWORK_EMBEDDED_DIR: '/data/network',
    NETWORK_DISK_B_DIR: '/data/networks/disk-b',
  })
})

test('a network called walrus-devnet is on the devnet that was started for it', () => {
  const devnet = { kind: 'walrus' as const, url: 'http://127.0.0.1:5002', token: '0x00', maxBlobBytes: 100 }
  const nodes = { 'walrus-devnet': devnet }
  expect(['walrus-devnet', 'walrus-devnet-b', 'walrus', 'ipfs'].filter(isOnNode)).toEqual([
    ...['walrus-devnet', 'walrus-devnet-b', 'ipfs'],
  ])
  expect(coldTierOf(['walrus-devnet'], dataLayout('/data'), [], nodes).settings).toMatchObject({
    NETWORK_WALRUS_DEVNET_DRIVER: 'walrus',
    NETWORK_WALRUS_DEVNET_PUBLISHERS: 'http://127.0.0.1:5002',
    NETWORK_WALRUS_DEVNET_AGGREGATORS: 'http://127.0.0.1:5002',
    NETWORK_WALRUS_DEVNET_JWT_SECRET: '0x00',
  })
})

test('a network called ipfs is on the node that was started for it', () => {
  const nodes = { 'ipfs-b': { kind: 'ipfs' as const, url: 'http://127.0.0.1:5001', token: 'of-the-node' } }
  const { networkDirs, settings } = coldTierOf(['disk-a', 'ipfs-b'], dataLayout('/data'), ['ipfs-b'], nodes)
  expect(['ipfs', 'ipfs-b', 'ipfsx', 'my-ipfs'].filter(isOnIpfs)).toEqual(['ipfs', 'ipfs-b'])
  expect(networkDirs['ipfs-b']).toBe('/data/networks/ipfs-b')
  expect(settings).toEqual({
    STORAGE_NETWORKS: 'disk-a,ipfs-b',
    NETWORK_DISK_A_DRIVER: 'embedded',
    NETWORK_DISK_A_DIR: '/data/networks/disk-a',
    NETWORK_IPFS_B_DRIVER: 'ipfs',
    NETWORK_IPFS_B_RPC_URLS: 'http://127.0.0.1:5001',
    NETWORK_IPFS_B_RPC_TOKEN: 'of-the-node',
    NETWORK_IPFS_B_ROLE: 'leaving',
  })
})

test('what a network is for is said by the shell, where it lies is not', () => {
  const coldTier = coldTierOf(['disk-a', 'disk-b'], dataLayout('/data')).settings
  const host = { NETWORK_DISK_A_ROLE: 'leaving', NETWORK_DISK_A_DIR: '/elsewhere', STORAGE_NETWORKS: 'lake' }
  expect(environment(1, { coldTier, host })).toMatchObject({ ...coldTier, NETWORK_DISK_A_ROLE: 'leaving' })
  expect(environment(0, { coldTier, host })).not.toHaveProperty('NETWORK_DISK_A_ROLE')
})
