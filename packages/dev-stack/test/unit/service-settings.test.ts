import { makeKeys } from '@tideport/set-up/make-secrets'
import { describe, expect, test } from 'vitest'
import { dataLayout } from '../../src/data-directory/data-layout.ts'
import { coldTierOf, givenColdTier, isOnIpfs, isOnNode } from '../../src/services/cold-tier.ts'
import type { PlannedService } from '../../src/services/plan-processes.ts'
import { processEnvironment, type Wiring } from '../../src/services/service-environment.ts'
import { type ServiceName, serviceNames, speaksHttp } from '../../src/services/service-name.ts'

/** The used part of the schema that a service's `config.ts` exports. */
type Schema = { shape: Record<string, unknown>; safeParse(environment: unknown): { success: boolean; error?: unknown } }

/** Settings that the stack always sets itself, regardless of its environment. */
const wired =
  'HOST PORT ADMIN_PORT AUTH_URL FILES_URL WEBHOOKS_URL DATABASE_URL DATABASE_POOLER NATS_URL NATS_CREDS ' +
  'S3_ENDPOINT S3_REGION S3_BUCKET S3_FORCE_PATH_STYLE AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY ' +
  'S3_API_PORT FORWARDED_BUCKET_URL STORAGE_NETWORKS STORAGE_NETWORK EMBEDDED_NETWORK_DIR FAILPOINT_DIR NODE_ENV'

const services = serviceNames.map((name, index): PlannedService => {
  const [port, adminPort] = [20_000 + 2 * index, 20_001 + 2 * index]
  const url = speaksHttp(name) ? `http://127.0.0.1:${port}` : undefined
  const s3Port = name === 'gateway' ? 20_100 : undefined
  return {
    name,
    replica: 0,
    process: `${name}-0`,
    port,
    s3Port,
    adminPort,
    url,
    adminUrl: `http://127.0.0.1:${adminPort}`,
  }
})

function environmentOf(name: ServiceName, host: Wiring['host'], more: Partial<Wiring> = {}): Record<string, string> {
  return processEnvironment([services[serviceNames.indexOf(name)] as PlannedService], wiringOf(host, more))
}

function wiringOf(host: Wiring['host'], more: Partial<Wiring> = {}): Wiring {
  const owned = (owner: string) => `postgres://${owner}:password@127.0.0.1:20100/tideport`
  return {
    services,
    secrets: {
      ...makeKeys(),
      roles: { auth: 'a', files: 'f', webhooks: 'w' },
      s3: { accessKeyId: 'key', secretAccessKey: 'secret' },
      nats: 'n',
    },
    databaseUrls: { auth: owned('auth'), files: owned('files'), webhooks: owned('webhooks') },
    natsUrl: 'nats://127.0.0.1:20101',
    s3: {
      ...{ endpoint: 'http://127.0.0.1:20102', region: 'us-east-1', bucket: 'hot', forcePathStyle: true },
      ...{ accessKeyId: 'key', secretAccessKey: 'secret' },
    },
    consoleDir: '/console',
    coldTier: coldTierOf([], dataLayout('/data')).settings,
    host,
    overrides: {},
    ...more,
  }
}

const repository = new URL('../../../../', import.meta.url)

/** Imports by path, because dev-stack runs the services but does not depend on them. */
async function schemaOf(name: ServiceName): Promise<Schema> {
  const file = new URL(`services/${name}/src/config.ts`, repository)
  return ((await import(file.href)) as { settings: Schema }).settings
}

describe.each(serviceNames)('the environment of %s', (name) => {
  test('contains only known settings, all required ones, and valid values', async () => {
    const schema = await schemaOf(name)
    const environment = environmentOf(name, {})
    expect(Object.keys(environment).filter((setting) => !(setting in schema.shape))).toEqual([])
    expect(schema.safeParse(environment)).toMatchObject({ success: true })
  })

  test('takes all of its settings from the shell, except wired ones and those of other services', async () => {
    const schema = await schemaOf(name)
    const schemas = await Promise.all(serviceNames.map(schemaOf))
    const everySetting = [...schemas.flatMap(({ shape }) => Object.keys(shape)), 'AWS_PROFILE']
    const given = environmentOf(name, Object.fromEntries(everySetting.map((setting) => [setting, 'of the shell'])))
    const fromShell = Object.keys(given).filter((setting) => given[setting] === 'of the shell')
    const open = Object.keys(schema.shape).filter((setting) => !wired.split(' ').includes(setting))
    expect(fromShell.toSorted()).toEqual(open.toSorted())
  })
})

type ReadNetworks = (names: string, environment: object) => object[]

test.each(['files', 'sync', 'eviction'] as const)(
  '%s finds every named network in the directory that the stack chose',
  async (name) => {
    const file = new URL('packages/file-lifecycle/src/copies/network-settings.ts', repository)
    const { readNetworks } = (await import(file.href)) as { readNetworks: ReadNetworks }
    // The shell sets the role of a network, but not its directory.
    const host = { NETWORK_DISK_A_ROLE: 'leaving', NETWORK_DISK_B_RESERVE_BYTES: '5', NETWORK_DISK_B_DIR: '/else' }
    const coldTier = coldTierOf(['embedded', 'disk-a', 'disk-b'], dataLayout('/data')).settings
    expect(environmentOf('gateway', host, { coldTier })).not.toHaveProperty('NETWORK_DISK_A_ROLE')
    const given = environmentOf(name, { ...host, STORAGE_NETWORKS: 'lake' }, { coldTier })
    expect(readNetworks(given.STORAGE_NETWORKS as string, given)).toMatchObject([
      // The default network keeps its directory and its copies.
      { name: 'embedded', driver: 'embedded', dir: '/data/network' },
      { name: 'disk-a', driver: 'embedded', role: 'leaving', dir: '/data/networks/disk-a' },
      { name: 'disk-b', driver: 'embedded', role: 'required', dir: '/data/networks/disk-b', reserveBytes: 5 },
    ])
    const known = Object.keys((await schemaOf(name)).shape)
    const unknown = Object.keys(given).filter((setting) => !known.includes(setting))
    expect(
      unknown.filter((setting) => !/^NETWORK_(EMBEDDED|DISK_[AB])_(DRIVER|DIR|ROLE|RESERVE_BYTES)$/.test(setting)),
    ).toEqual([])
  },
)

test('a setting of the shell replaces the default of npm start, and an override replaces both', () => {
  const host = { DOWNLOAD_URL_SECONDS: '5', OPEN_UPLOADS_MAX: '7' }
  expect(environmentOf('files', {}).DOWNLOAD_URL_SECONDS).toBe('60')
  expect(environmentOf('files', host, { overrides: { DOWNLOAD_URL_SECONDS: '6' } })).toMatchObject({
    ...{ DOWNLOAD_URL_SECONDS: '6', OPEN_UPLOADS_MAX: '7' },
  })
})

test('the gateway receives the URL of every replica', () => {
  const replica = { ...(services[serviceNames.indexOf('files')] as PlannedService), url: 'http://127.0.0.1:9100' }
  const { FILES_URL } = environmentOf('gateway', {}, { services: [...services, replica] })
  expect(FILES_URL?.split(',')).toEqual([expect.stringMatching(/^http:/), 'http://127.0.0.1:9100'])
})

test('several services in one process get what they share once, and ports and databases by their names', () => {
  const environment = processEnvironment(services, wiringOf({ LOG_LEVEL: 'warn', SYNC_CONCURRENCY: '3' }))
  expect(environment).toMatchObject({
    TIDEPORT_PROCESSES: serviceNames.join(),
    ...{ LOG_LEVEL: 'warn', SYNC_CONCURRENCY: '3', HOST: '127.0.0.1', GATEWAY_PORT: '20000', FILES_PORT: '20004' },
    AUTH_DATABASE_URL: expect.stringContaining('//auth:'),
    EVICTION_DATABASE_URL: expect.stringContaining('//files:'),
    WEBHOOKS_DATABASE_URL: expect.stringContaining('//webhooks:'),
  })
  for (const name of ['PORT', 'DATABASE_URL', 'SYNC_PORT']) expect(environment).not.toHaveProperty(name)
})

describe('in production', () => {
  const production = { host: '0.0.0.0', ownsStore: true }
  const environmentIn = (host: Wiring['host'], more: Partial<Wiring> = {}) =>
    processEnvironment(services, wiringOf(host, { production, ...more }))

  test('only the gateway has a public address, and presigned URLs have it too', () => {
    const environment = environmentIn({ PUBLIC_URL: 'https://files.example.org', SERVICE_ENV: 'development' })
    expect(environment).toMatchObject({
      ...{ SERVICE_ENV: 'production', HOST: '127.0.0.1', GATEWAY_HOST: '0.0.0.0' },
      ...{ PUBLIC_URL: 'https://files.example.org', S3_PUBLIC_ENDPOINT: 'https://files.example.org' },
      FORWARDED_BUCKET_URL: 'http://127.0.0.1:20102/hot',
    })
    for (const name of ['HOT_RETENTION_SECONDS', 'RATE_LIMIT_BURST']) expect(environment).not.toHaveProperty(name)
    expect(environmentIn({}).PUBLIC_URL).toBe('http://localhost:20000')
  })

  test('clients use the store of the operator directly', () => {
    const environment = environmentIn({}, { production: { host: '0.0.0.0', ownsStore: false } })
    expect(environment.S3_PUBLIC_ENDPOINT).toBe('http://127.0.0.1:20102')
    expect(environment).not.toHaveProperty('FORWARDED_BUCKET_URL')
  })

  test('networks of the operator are used unchanged, with the folder of the first one', () => {
    const host = {
      STORAGE_NETWORKS: 'embedded,far',
      NETWORK_FAR_DRIVER: 's3',
      NETWORK_FAR_SECRET_FILE: '/run/s',
      PATH: '/',
    }
    expect(givenColdTier(host, dataLayout('/data'), {})?.settings).toEqual({
      ...{ STORAGE_NETWORKS: 'embedded,far', NETWORK_FAR_DRIVER: 's3', NETWORK_FAR_SECRET_FILE: '/run/s' },
      ...{ NETWORK_EMBEDDED_DRIVER: 'embedded', NETWORK_EMBEDDED_DIR: '/data/network' },
    })
    expect(givenColdTier(host, dataLayout('/data'), undefined)).toBeUndefined()
  })
})

test('a network with the name of a node uses the node that was started for it', () => {
  const nodes = {
    'ipfs-b': { kind: 'ipfs' as const, url: 'http://127.0.0.1:5001', token: 'of-the-node' },
    'walrus-devnet': { kind: 'walrus' as const, url: 'http://127.0.0.1:5002', token: '0x00', maxBlobBytes: 100 },
  }
  expect(['ipfs', 'ipfs-b', 'ipfsx', 'my-ipfs'].filter(isOnIpfs)).toEqual(['ipfs', 'ipfs-b'])
  const onNodes = ['walrus-devnet', 'walrus-devnet-b', 'ipfs']
  expect([...onNodes, 'walrus'].filter(isOnNode)).toEqual(onNodes)
  expect(coldTierOf(Object.keys(nodes), dataLayout('/data'), ['ipfs-b'], nodes).settings).toMatchObject({
    NETWORK_IPFS_B_DRIVER: 'ipfs',
    NETWORK_IPFS_B_RPC_URLS: 'http://127.0.0.1:5001',
    NETWORK_IPFS_B_RPC_TOKEN: 'of-the-node',
    NETWORK_IPFS_B_ROLE: 'leaving',
    NETWORK_WALRUS_DEVNET_DRIVER: 'walrus',
    NETWORK_WALRUS_DEVNET_PUBLISHERS: 'http://127.0.0.1:5002',
    NETWORK_WALRUS_DEVNET_AGGREGATORS: 'http://127.0.0.1:5002',
    NETWORK_WALRUS_DEVNET_JWT_SECRET: '0x00',
  })
})
