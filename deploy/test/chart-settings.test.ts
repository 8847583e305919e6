import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsOf } from '@tideport/file-lifecycle/copies/network-shape'
import { storageNetworkSettings } from '@tideport/file-lifecycle/process/settings'
import { loadConfig } from '@tideport/service-kit/config/config'
import { databaseSettings } from '@tideport/service-kit/config/process-settings'
import { migrationSettings } from '@tideport/service-kit/postgres/migration-main'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { installationSettings } from '../../packages/operator/src/open-installation.ts'
import {
  bucketStepSettings,
  databaseStepSettings,
  streamsStepSettings,
} from '../../packages/operator/src/set-up/servers.ts'
import { chart, examples, useHelm } from './support/helm.ts'
import { containersOf, type Manifest, ofKind, podsOf, servicesOf, theOne } from './support/manifests.ts'
import { serviceSettings } from './support/service-settings.ts'

const helm = useHelm('helm4')
const { d: _private, ...publicKey } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
/** Checks the environment as the steps of `operator set-up` do. */
const stepSettings: Record<string, z.ZodObject> = {
  database: databaseStepSettings,
  migrations: z.object(migrationSettings),
  streams: streamsStepSettings,
  bucket: bucketStepSettings,
  network: z.object({ ...databaseSettings, ...storageNetworkSettings }),
  account: z.object(databaseSettings),
}

/** Sample contents of Secrets. */
const samples: Record<string, string> = {
  NATS_URL: 'nats://user:password@nats:4222',
  IDENTITY_TOKEN_PRIVATE_KEY: JSON.stringify({ ...publicKey, d: 'secret', kid: 'one' }),
  IDENTITY_TOKEN_PUBLIC_KEYS: JSON.stringify({ keys: [{ ...publicKey, kid: 'one' }] }),
  DOWNLOAD_TOKEN_KEYS: Buffer.alloc(32).toString('base64'),
  WEBHOOK_SECRET_KEYS: Buffer.alloc(32).toString('base64'),
  EXPORT_SECRET_KEYS: Buffer.alloc(32).toString('base64'),
  S3_API_SECRET_KEYS: Buffer.alloc(32).toString('base64'),
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret',
}
const sampleOf = (name: string) => {
  if (/^NETWORK_.*_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|RPC_TOKEN|JWT_SECRET)$/.test(name)) return 'from-a-secret'
  return /DATABASE_URL$/.test(name) ? 'postgres://user:password@db/tideport' : samples[name]
}

/**
 * Read by Node, by OpenTelemetry, by the logger of any program, by `operator set-up bucket` in a pod of files; and what the example
 * `everything` adds itself.
 */
const readBesides = /^(OTEL|POD|NODE)_|^(LOG_LEVEL|SERVICE_ENV|HTTPS_PROXY|CORS_ORIGINS)$/

function valueIn({ name, value, valueFrom }: Manifest): string {
  if (value !== undefined) return value
  const sample = valueFrom.fieldRef ? 'from-the-pod' : sampleOf(name)
  if (sample === undefined) throw new Error(`${name} comes from a Secret for which this test has no sample`)
  return sample
}

describe('the environment of', () => {
  it.each(examples)('every service in %s is valid for the service', async (example) => {
    const checked = []
    for (const { spec } of servicesOf(await helm.template(example))) {
      const [{ name, env }] = spec.containers
      const settings = serviceSettings[name] as z.ZodObject
      const environment = Object.fromEntries(env.map((entry: Manifest) => [entry.name, valueIn(entry)]))
      expect(Object.keys(environment)).toHaveLength(env.length)
      loadConfig(settings, environment)
      expect(unknownTo(settings, environment)).toEqual([])
      checked.push(name)
    }
    expect(checked.toSorted()).toEqual(Object.keys(serviceSettings).toSorted())
  })

  it.each(examples)('every Job in %s is valid for its program', async (example) => {
    const containers = podsOf(ofKind(await helm.template(example), 'Job')).flatMap(({ spec }) => containersOf(spec))
    expect(containers).toHaveLength(3)
    for (const { args, env } of containers) {
      const steps = args.slice(2)
      const environment = Object.fromEntries(env.map((entry: Manifest) => [entry.name, valueIn(entry)]))
      const settings = steps.map((step: string) => stepSettings[step] as z.ZodObject)
      const url = environment.FILES_DATABASE_URL ?? environment.AUTH_DATABASE_URL
      const urls = { DATABASE_URL: url, MIGRATION_DATABASE_URL: url }
      for (const schema of settings) loadConfig(schema, { ...environment, ...urls })
      const shapes = settings.map(({ shape }: z.ZodObject) => shape)
      const known = z.object(Object.assign({}, databaseStepSettings.shape, ...shapes))
      expect(unknownTo(known, environment)).toEqual([])
    }
  })

  // While all services are stopped, the toolbox is the only pod for commands.
  it.each(examples)('the toolbox in %s is valid for every `operator` command', async (example) => {
    const [{ env }] = theOne(await helm.template(example), 'Deployment', '-toolbox').spec.template.spec.containers
    const given = Object.fromEntries(env.map((entry: Manifest) => [entry.name, valueIn(entry)]))
    const settings = [installationSettings, ...Object.values(stepSettings)]
    const urls = { DATABASE_URL: given.FILES_DATABASE_URL, MIGRATION_DATABASE_URL: given.FILES_DATABASE_URL }
    for (const schema of settings) loadConfig(schema as z.ZodObject, { ...given, ...urls })
    expect(given).toHaveProperty('WEBHOOK_SECRET_KEYS')
    const keys = { WEBHOOK_SECRET_KEYS: z.string(), EXPORT_SECRET_KEYS: z.string() }
    const known = z.object(Object.assign(keys, ...settings.map(({ shape }) => shape)))
    expect(unknownTo(known, given)).toEqual([])
  })
})

/** The network settings in the environment of an installation with only these networks. */
const networks = ['disk', 'disk-a', 'disk-b', 'embedded', 'vault', 'deep', 'lake', 'sea']
const ofNetworks = new Set(networks.flatMap((name) => Object.keys(settingsOf(name))))

function unknownTo({ shape }: z.ZodObject, environment: object): string[] {
  const isKnown = (name: string) => name in shape || ('EMBEDDED_NETWORK_DIR' in shape && ofNetworks.has(name))
  return Object.keys(environment).filter((name) => !isKnown(name) && !readBesides.test(name))
}

describe('storage.networks', () => {
  it('mounts each network from its own volume, at the same path in all pods', async () => {
    const opened: string[] = []
    for (const { owner, spec } of podsOf(await helm.template('networks'))) {
      for (const { env, volumeMounts } of containersOf(spec)) {
        const given = Object.fromEntries(env.map((entry: Manifest) => [entry.name, entry.value]))
        if (given.NETWORK_DISK_A_DIR === undefined) continue
        opened.push(owner.metadata.name)
        const { storageNetworks } = loadConfig(z.object(storageNetworkSettings), given)
        expect(storageNetworks.map(({ name, role }) => [name, role])).toEqual([
          ['disk-a', 'required'],
          ['disk-b', 'required'],
          ['embedded', 'leaving'],
        ])
        const claims = storageNetworks.map((network) => {
          const dir = 'dir' in network ? network.dir : ''
          const mount = volumeMounts.find(({ mountPath }: Manifest) => dir.startsWith(`${mountPath}/`))
          return spec.volumes.find(({ name }: Manifest) => name === mount.name).persistentVolumeClaim.claimName
        })
        expect(claims).toEqual([
          'acme-tideport-network-disk-a',
          'acme-tideport-network-disk-b',
          'acme-tideport-network',
        ])
      }
    }
    expect(opened).toHaveLength(5)
  })

  it('supports buckets, IPFS nodes, and Walrus without volumes, with keys from Secrets and egress rules', async () => {
    const rendered = await helm.template('buckets')
    const pods = podsOf(rendered).flatMap(({ spec }) => containersOf(spec).map(({ env }) => ({ env, spec })))
    const users = pods.filter(({ env }) => env.some(({ name }: Manifest) => name === 'NETWORK_VAULT_BUCKET'))
    expect(users).toHaveLength(5)
    for (const { env, spec } of users) {
      expect(env).toContainEqual({
        name: 'NETWORK_VAULT_SECRET_ACCESS_KEY',
        valueFrom: { secretKeyRef: { name: 'tideport-vault', key: 'secret-access-key' } },
      })
      const given = Object.fromEntries(env.map((entry: Manifest) => [entry.name, entry.value ?? 'from-a-secret']))
      expect(loadConfig(z.object(storageNetworkSettings), given).storageNetworks).toMatchObject([
        { name: 'disk-a', driver: 'embedded' },
        { name: 'vault', driver: 's3', lock: { mode: 'governance', days: 90 }, checkBudget: { bytesPerDay: 5e10 } },
        { name: 'deep', driver: 's3', role: 'leaving', storageClass: 'DEEP_ARCHIVE', restore: { tier: 'bulk' } },
        { name: 'lake', driver: 'ipfs', urls: ['http://kubo.ipfs.svc:5001'], token: 'from-a-secret' },
        {
          ...{ name: 'sea', driver: 'walrus', publishers: ['http://publisher.walrus.svc:31415'] },
          aggregators: ['http://aggregator.walrus.svc:31416', 'https://aggregator.example.org'],
          ...{ jwtSecret: 'from-a-secret', jwtSeconds: 600, epochs: 53, epochSeconds: 86_400, isPermanent: false },
          ...{ maxBlobBytes: 104_857_600, checkIdBytes: 0 },
        },
      ])
      expect(env).toContainEqual({
        name: 'NETWORK_SEA_JWT_SECRET',
        valueFrom: { secretKeyRef: { name: 'tideport-sea', key: 'jwt-secret' } },
      })
      const claims = spec.volumes.flatMap(
        ({ persistentVolumeClaim }: Manifest) => persistentVolumeClaim?.claimName ?? [],
      )
      expect(claims).toEqual(['acme-tideport-network-disk-a'])
    }
    const policies = ofKind(rendered, 'NetworkPolicy')
    for (const name of ['files', 'sync', 'eviction', 'set-up', 'toolbox']) {
      const { spec } = theOne(policies, 'NetworkPolicy', `-${name}`)
      expect(spec.egress, name).toContainEqual({
        ports: [443, 5001, 31_415, 31_416].map((port) => ({ port, protocol: 'TCP' })),
      })
    }
  })

  it('creates a claim that is kept on uninstall, unless existingClaim is set', async () => {
    const claims = ofKind(await helm.template('networks'), 'PersistentVolumeClaim')
    expect(claims.map(({ metadata, spec }) => [metadata.name, spec.storageClassName])).toEqual([
      ['acme-tideport-network-disk-a', 'nfs-a'],
      ['acme-tideport-network-disk-b', 'nfs-b'],
    ])
    for (const { metadata } of claims) expect(metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' })
  })

  it('creates the queues of all networks before KEDA reads them', async () => {
    const job = ofKind(await helm.template('networks'), 'Job').find(({ metadata }) => /provision/.test(metadata.name))
    const [{ env }] = job.spec.template.spec.containers
    expect(env).toContainEqual({ name: 'STORAGE_NETWORKS', value: 'disk-a,disk-b,embedded' })
  })
})

const read = (file: string) => readFileSync(join(chart, file), 'utf8')

describe('files/settings.yaml', () => {
  const readers = parse(read('files/settings.yaml')) as Record<string, string[]>

  it('lists exactly the services that read each setting', () => {
    const actual = Object.keys(readers).map((name) => [
      name,
      Object.keys(serviceSettings).filter((service) => name in (serviceSettings[service] as z.ZodObject).shape),
    ])
    expect(Object.fromEntries(actual)).toEqual(readers)
  })

  /** A setting is passed on, is derived from a value of the chart, or does not concern the chart. */
  it('covers every setting of every service', async () => {
    const notOfACluster = ['HOST', 'FAILPOINT_DIR']
    const templates = ['_env.tpl', '_workload.tpl'].map((file) => read(`templates/${file}`))
    const madeOfOthers = /^(SYNC|EVICTION)_CONCURRENCY$|^OTEL_/ // <component>.concurrency, otel.extra
    const made = (name: string) => templates.join().includes(name) || madeOfOthers.test(name)
    const names = new Set(Object.values(serviceSettings).flatMap(({ shape }) => Object.keys(shape)))
    const lost = [...names].filter((name) => !(name in readers) && !made(name) && !notOfACluster.includes(name))
    expect(lost).toEqual([])
  })

  it('lists no setting that the chart sets itself', () => {
    const own = read('templates/_env.tpl')
    const isSet = (name: string) => own.includes(`name: ${name},`) || own.includes(`"${name}"`)
    expect(Object.keys(readers).filter(isSet)).toEqual([])
  })
})

const schema = JSON.parse(read('values.schema.json')) as Manifest

/** Follows references within the schema. */
function resolve(node: Manifest): Manifest {
  if (!node?.$ref) return node
  return resolve(
    node.$ref
      .slice(2)
      .split('/')
      .reduce((at: Manifest, step: string) => at[step], schema),
  )
}

type Leaf = { path: string; schema: Manifest }

/** The values without child values in the schema. */
function leavesOf(value: unknown, node: Manifest, path: string[] = []): Leaf[] {
  const found = resolve(node)
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  if (entries.length === 0 || !found?.properties) return [{ path: path.join('.'), schema: found }]
  return entries.flatMap(([key, inner]) => leavesOf(inner, found.properties[key], [...path, key]))
}

/** Also values that values.yaml omits, such as those of every component. */
function leavesIn(node: Manifest, path: string[] = []): Leaf[] {
  const found = resolve(node)
  if (!found.properties) return [{ path: path.join('.'), schema: found }]
  return Object.entries(found.properties).flatMap(([key, inner]) => leavesIn(inner, [...path, key]))
}

/** Objects of the schema with a fixed list of keys, by path. */
function objectsIn(node: Manifest, path: string[] = []): Leaf[] {
  const inner = Object.entries(node ?? {}).flatMap(([key, value]) =>
    typeof value === 'object' ? objectsIn(value, [...path, key]) : [],
  )
  return node?.properties && node.type === 'object' ? [{ path: path.join('.'), schema: node }, ...inner] : inner
}

it('the schema accepts unknown keys only where users or Kubernetes choose names', () => {
  const found = objectsIn(schema)
  expect(found.length).toBeGreaterThan(60)
  expect(found.filter((one) => one.schema.additionalProperties !== false).map(({ path }) => path)).toEqual([
    'properties.global',
    'properties.metrics.properties.rules.properties.thresholds',
    'definitions.settings',
    'definitions.component.properties.podSecurityContext',
    'definitions.component.properties.securityContext',
  ])
})

it('helm show values prints a description above every value', async () => {
  const lines = (await helm.run(['show', 'values', chart])).split('\n')
  const comments = (at: number): string => (/^ *#/.test(lines[at] ?? '') ? `${comments(at - 1)}\n${lines[at]}` : '')
  const values = lines.flatMap((line, at) => (/^ *\w+: +\S/.test(line) ? [{ line, above: comments(at - 1) }] : []))
  expect(values.length).toBeGreaterThan(250)
  expect(values.filter(({ above }) => !above.includes('# -- ')).map(({ line }) => line)).toEqual([])
})

it('the schema has a type and a description for every value', () => {
  const leaves = [...leavesOf(parse(read('values.yaml')), schema), ...leavesIn(schema)]
  expect(leaves.length).toBeGreaterThan(500)
  const words = ['type', 'enum', 'const', 'anyOf', 'allOf']
  const isTold = ({ schema }: Leaf) => schema?.description && words.some((word) => word in schema)
  expect(leaves.filter((leaf) => !isTold(leaf)).map(({ path }) => path)).toEqual([])
})
