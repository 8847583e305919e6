import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { chart, exampleFile, useHelm } from './support/helm.ts'
import { containersOf, type Manifest, named, ofKind, podsOf, servicesOf, theOne } from './support/manifests.ts'

const helm = useHelm('helm4')
const specOf = (manifest: Manifest) => manifest.spec.template.spec

describe('a change to pods', () => {
  it('applies to Jobs, the toolbox, and the smoke test, as it does to services', async () => {
    const everywhere = { nodeSelector: { pool: 'storage' }, dnsPolicy: 'Default', hostAliases: [{ ip: '192.0.2.1' }] }
    const extraEnv = [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }]
    const mounts = {
      extraVolumes: [{ name: 'more', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'more', mountPath: '/m' }],
    }
    const defaults = { ...everywhere, ...mounts, extraEnv, podAnnotations: { a: 'b' }, affinity: { podAffinity: {} } }
    const pods = podsOf(await helm.template('production', { defaults }))
    expect(pods).toHaveLength(11)
    for (const { owner, spec } of pods) {
      expect(spec, owner.metadata.name).toMatchObject({ ...everywhere, affinity: defaults.affinity })
      const { metadata } = owner.kind === 'Pod' ? owner : owner.spec.template
      expect(metadata.annotations).toMatchObject({ a: 'b' })
      for (const { env, volumeMounts } of containersOf(spec)) {
        expect(env).toContainEqual(extraEnv[0])
        expect(volumeMounts).toContainEqual(mounts.extraVolumeMounts[0])
      }
    }
  })

  it('for Jobs, the toolbox, or the smoke test applies only there', async () => {
    const own = { tolerations: [{ operator: 'Exists' }] }
    const values = { jobs: { ...own, annotations: { c: 'd' } }, toolbox: { ...own, replicas: 1 }, smokeTest: own }
    const manifests = await helm.template('production', values)
    for (const { spec } of servicesOf(manifests)) expect(spec).not.toHaveProperty('tolerations')
    const jobs = ofKind(manifests, 'Job')
    for (const job of jobs) expect(job.metadata.annotations).toMatchObject({ c: 'd' })
    const toolbox = theOne(manifests, 'Deployment', '-toolbox')
    expect(toolbox.spec.replicas).toBe(1)
    const specs = [...jobs.map(specOf), specOf(toolbox), theOne(manifests, 'Pod', '-smoke').spec]
    for (const { tolerations } of specs) expect(tolerations).toEqual(own.tolerations)
  })

  it('overrides single keys of probes, strategy, and spread', async () => {
    const topologySpreadConstraints = [{ maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' }]
    const files = {
      probes: { startup: { httpGet: { path: '/live', port: 'admin' }, failureThreshold: 9 } },
      strategy: { rollingUpdate: { maxUnavailable: 1 } },
      topologySpreadConstraints,
    }
    const { spec } = theOne(await helm.template('production', { files }), 'Deployment', '-files')
    expect(spec.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } })
    expect(spec.template.spec).toMatchObject({ topologySpreadConstraints })
    const [{ startupProbe, readinessProbe }] = spec.template.spec.containers
    expect(startupProbe).toEqual(files.probes.startup)
    expect(readinessProbe.httpGet.path).toBe('/ready')
  })
})

describe('merge', () => {
  it('merges maps and named list items, replaces other values, and removes nulls', async () => {
    const container = {
      name: 'gateway',
      args: ['other'],
      env: [{ name: 'LOG_LEVEL', value: 'trace' }, { name: 'MORE' }],
    }
    const spec = { containers: [container, { name: 'aside', image: 'aside' }], enableServiceLinks: null }
    const plain = await helm.template('production')
    const changed = await helm.template('production', {
      merge: { 'Deployment/gateway': { spec: { template: { spec } } }, 'Job/set-up': { spec: { suspend: true } } },
    })
    const [before, after] = [plain, changed].map((all) => specOf(theOne(all, 'Deployment', '-gateway')))
    expect(after).not.toHaveProperty('enableServiceLinks')
    const [gateway, aside] = after.containers
    expect(aside).toEqual({ name: 'aside', image: 'aside' })
    expect(gateway.args).toEqual(['other'])
    expect(gateway.env).toHaveLength(before.containers[0].env.length + 1)
    expect(gateway.env).toContainEqual({ name: 'LOG_LEVEL', value: 'trace' })
    expect(gateway.resources).toEqual(before.containers[0].resources)
    expect(ofKind(changed, 'Job').filter(({ spec: job }) => job.suspend)).toHaveLength(1)
    const others = (all: Manifest[]) => all.filter((one) => !/gateway$|set-up/.test(one.metadata.name))
    expect(others(changed)).toEqual(others(plain))
  })

  it('rejects an unknown object and lists the known ones', async () => {
    const rendered = helm.template('production', { merge: { 'Deployment/gatway': { spec: {} } } })
    await expect(rendered).rejects.toThrow(
      /merge: the object Deployment\/gatway does not exist\. The objects are .*Deployment\/gateway/,
    )
  })

  it('applies to every object of every template', async () => {
    const files = readdirSync(join(chart, 'templates'), { recursive: true, encoding: 'utf8' })
    const templates = files.filter((file) => file.endsWith('.yaml')).map((file) => basename(file, '.yaml'))
    const merge = { 'Deployment/nobody': {} }
    const told = await helm.template('everything', { merge }).catch((error: Error) => error.message)
    expect(templates).toContain('toolbox')
    const own = (await helm.template('everything')).filter(({ metadata }) => !/-(extra|text)$/.test(metadata.name))
    for (const item of own)
      expect(told).toContain(
        named(item)
          .replace(/ acme-tideport-?/, '/')
          .replace(/\/$/, '')
          .replace(/-\w{8}$/, ''),
      )
  })
})

describe('a Service', () => {
  it('of the gateway passes on the settings of its load balancer', async () => {
    const { type, port, annotations, ...policies } = {
      type: 'LoadBalancer',
      port: 443,
      annotations: {},
      loadBalancerClass: 'example.org/lb',
      loadBalancerSourceRanges: ['192.0.2.0/24'],
      externalTrafficPolicy: 'Local',
      internalTrafficPolicy: 'Local',
    }
    const service = { type, port, annotations, nodePort: 30443, s3NodePort: 30444, ...policies }
    const { spec } = theOne(await helm.template('production', { gateway: { service } }), 'Service', '-gateway')
    expect(spec).toMatchObject({
      type,
      ...policies,
      ports: [
        { port: 443, nodePort: 30443 },
        { port: 8084, nodePort: 30444 },
      ],
    })
  })
})

describe('a Secret that the chart can read', () => {
  const secret = (name: string, stringData: object) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData,
  })
  const checksums = async (name: string, stringData: object) => {
    const pods = servicesOf(await helm.template('production', { extraObjects: [secret(name, stringData)] }))
    const sumOf = ({ owner }: { owner: Manifest }) => owner.spec.template.metadata.annotations?.['checksum/secrets']
    return Object.fromEntries(pods.map((pod) => [pod.owner.metadata.name.replace('acme-tideport-', ''), sumOf(pod)]))
  }
  const restarted = async (name: string, one: object, two: object) => {
    const [before, after] = [await checksums(name, one), await checksums(name, two)]
    return Object.keys(before).filter((pod) => before[pod] !== after[pod])
  }

  it('restarts only the pods that read a changed key', async () => {
    const keys = { 'access-key-id': 'a', 'secret-access-key': 'b' }
    expect(await restarted('tideport-s3', keys, { ...keys, 'access-key-id': 'c' })).toEqual([
      'eviction',
      'files',
      'sync',
    ])
    expect(await restarted('tideport-s3', keys, { ...keys, more: 'd' })).toEqual([])
    const all = { 'download-token-keys': 'a', 'identity-token-public-keys': 'b', 'identity-token-private-key': 'c' }
    expect(await restarted('tideport-keys', all, { ...all, 'download-token-keys': 'd' })).toEqual(['files'])
    const publicKeys = { ...all, 'identity-token-public-keys': 'e' }
    expect(await restarted('tideport-keys', all, publicKeys)).toEqual(['auth', 'files', 'webhooks'])
    expect(await restarted('tideport-keys', all, { ...all, 'identity-token-private-key': 'f' })).toEqual(['gateway'])
  })

  it('of dev is kept on uninstall, like the volume whose password it holds', async () => {
    for (const { metadata } of ofKind(await helm.template('evaluation'), 'Secret')) {
      expect(metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' })
    }
  })
})

describe('the notes', () => {
  const notes = async (example: string, values: object = {}) => {
    const args = ['install', 'acme', chart, '--dry-run=client', '-f', exampleFile(example), '-f', '-']
    return (await helm.run(args, { input: stringify(values) })).split('NOTES:')[1]
  }

  it('warn of a single copy, and print no such warning for the two networks of production', async () => {
    const bucket = { bucket: 'example-cold', existingSecret: 'vault' }
    const only = (network: object) => ({ storage: { networks: [network], embedded: { acceptSingleCopy: true } } })
    expect(await notes('production')).not.toContain('only one copy')
    expect(await notes('evaluation')).toMatch(/only one copy, on claim acme-tideport-network\. Back it up\./)
    const claim = 'acme-tideport-network-disk'
    expect(await notes('production', only({ name: 'disk' }))).toContain(
      `Each cold file has only one copy, on claim ${claim}. Back it up.`,
    )
    expect(await notes('production', only({ name: 'vault', driver: 's3', s3: bucket }))).toContain(
      'Each cold file has only one copy, on network vault. Add a second network to storage.networks.',
    )
  })

  it('show how to upload, without a key in development mode, and the URL of the console', async () => {
    const evaluation = await notes('evaluation')
    expect(evaluation).toContain('curl -sS -T FILE http://localhost:8080/api/vaults/ID/content/FILE')
    expect(evaluation).toContain('The console is at http://localhost:8080/console.')
    const production = await notes('production', { console: { enabled: false } })
    expect(production).toContain("curl -sS -H 'authorization: Bearer KEY' https://files.example.org/api/vaults\n")
    expect(production).not.toContain('/console')
  })

  it('warn of development mode and of one node, and list the next step and the scaled components', async () => {
    expect(await notes('evaluation')).toMatch(/WITHOUT CREDENTIALS[\s\S]*not ReadWriteMany[\s\S]*one node/)
    expect(await notes('keda')).toMatch(/operator set-up account[\s\S]*Autoscaling: auth \(keda\)/)
  })

  it('list the steps of the set-up and how to see its result', async () => {
    expect(await notes('evaluation')).toMatch(
      /deployed only after its set-up \(bucket, network, account\) succeeded[\s\S]*get job acme-tideport-set-up\n/,
    )
    expect(await notes('production', { setUp: { network: false } })).not.toContain('set-up (')
  })

  it('list everything that an uninstall keeps', async () => {
    const evaluation = await notes('evaluation')
    for (const name of ['acme-tideport-network', 'postgres-0', 'nats-0', 's3-0']) {
      expect(evaluation).toMatch(new RegExp(`claim \\S*${name}: `))
    }
    for (const name of ['postgres', 's3']) expect(evaluation).toContain(`Secret acme-tideport-${name}:`)
    expect(evaluation).not.toContain('on your servers')
    expect(await notes('production')).toMatch(/on your servers: the schemas .*, the bucket tideport-hot, the streams /)
  })
})

it('the set-up creates the first account in development mode only', async () => {
  const steps = async (example: string) =>
    podsOf(await helm.template(example))
      .filter(({ labels }) => labels['app.kubernetes.io/component'] === 'set-up')
      .flatMap(({ spec }) => spec.containers[0].args)
  expect(await steps('evaluation')).toEqual(['operator', 'set-up', 'bucket', 'network', 'account'])
  expect(await steps('production')).toEqual(['operator', 'set-up', 'network'])
})

describe('the browser origins', () => {
  const origins = async (values: object) => {
    const pods = podsOf(await helm.template('production', { setUp: { bucket: true }, ...values }))
    const containers = pods.flatMap(({ spec }) => containersOf(spec))
    const readers = containers.filter(({ name }) => ['set-up', 'files', 'gateway', 'toolbox'].includes(name))
    const valueIn = ({ env }: Manifest) => env.find((one: Manifest) => one.name === 'CORS_ORIGINS')?.value
    return readers.map(valueIn)
  }

  // Without the variable, `operator set-up bucket` keeps the bucket's rule. A comma is the empty list.
  it('are set in each pod that runs `operator set-up bucket`, also as an empty list', async () => {
    const without = { console: { enabled: false } }
    expect(await origins(without)).toEqual(Array(4).fill('https://app.example.org'))
    expect(await origins({ ...without, config: { corsOrigins: [] } })).toEqual(Array(4).fill(','))
    expect(await origins({ config: { corsOrigins: null } })).toEqual(Array(4).fill(undefined))
  })

  it('of the evaluation are those of the console, which uploads to another port', async () => {
    const containers = podsOf(await helm.template('evaluation')).flatMap(({ spec }) => containersOf(spec))
    const { env } = containers.find(({ name }) => name === 'set-up') as Manifest
    expect(env).toContainEqual({ name: 'CORS_ORIGINS', value: 'http://localhost:8080' })
  })

  it('include the origin of the console while it is enabled', async () => {
    const config = { publicUrl: 'https://files.example.org:443/below' }
    const own = 'https://files.example.org'
    expect(await origins({ config })).toEqual(Array(4).fill(`https://app.example.org,${own}`))
    expect(await origins({ config: { ...config, corsOrigins: [] } })).toEqual(Array(4).fill(own))
    expect(await origins({ config: { ...config, corsOrigins: ['*'] } })).toEqual(Array(4).fill('*'))
  })
})
