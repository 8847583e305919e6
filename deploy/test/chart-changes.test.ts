import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { chart, exampleFile, useHelm } from './support/helm.ts'
import { containersOf, type Manifest, named, ofKind, podsOf, servicesOf, theOne } from './support/manifests.ts'

const helm = useHelm('helm4')
const specOf = (manifest: Manifest) => manifest.spec.template.spec

describe('what is changed of pods', () => {
  it('reaches those of Jobs, of the toolbox and of the test, as it does those of services', async () => {
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

  it('of Jobs, of the toolbox or of the test alone stays there', async () => {
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

  it('may be their probes, strategy and spread, key by key', async () => {
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
  it('lays maps over maps and named things over those of the name, replaces the rest, and removes by null', async () => {
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

  it('refuses an unknown object and lists the known ones', async () => {
    const rendered = helm.template('production', { merge: { 'Deployment/gatway': { spec: {} } } })
    await expect(rendered).rejects.toThrow(
      /merge: the object Deployment\/gatway does not exist\. The objects are .*Deployment\/gateway/,
    )
  })

  it('reaches every object of every template', async () => {
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
  it('of the gateway is what its load balancer needs', async () => {
    const { type, port, annotations, ...policies } = {
      type: 'LoadBalancer',
      port: 443,
      annotations: {},
      loadBalancerClass: 'example.org/lb',
      loadBalancerSourceRanges: ['192.0.2.0/24'],
      externalTrafficPolicy: 'Local',
      internalTrafficPolicy: 'Local',
    }
    const service = { type, port, annotations, nodePort: 30443, ...policies }
    const { spec } = theOne(await helm.template('production', { gateway: { service } }), 'Service', '-gateway')
    expect(spec).toMatchObject({ type, ...policies, ports: [{ port: 443, nodePort: 30443 }] })
  })
})

describe('a Secret that the chart sees', () => {
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

  it('restarts those who read what has changed of it, and nobody else', async () => {
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

  it('of dev outlives the release, as the volume does that it opens', async () => {
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

  it('say where a cold file would be one copy, and nothing of that with the two networks of production', async () => {
    const bucket = { bucket: 'example-cold', existingSecret: 'vault' }
    const only = (network: object) => ({ storage: { networks: [network], embedded: { acceptSingleCopy: true } } })
    expect(await notes('production')).not.toContain('one copy')
    expect(await notes('evaluation')).toMatch(/One volume is one copy: back claim acme-tideport-network up\./)
    const claim = 'acme-tideport-network-disk'
    expect(await notes('production', only({ name: 'disk' }))).toContain(
      `One volume is one copy: back claim ${claim} up.`,
    )
    expect(await notes('production', only({ name: 'vault', driver: 's3', s3: bucket }))).toContain(
      'One bucket is one copy: name a second network beside vault.',
    )
  })

  it('tell how to upload: without a key where anybody is let in, and where the console is', async () => {
    const evaluation = await notes('evaluation')
    expect(evaluation).toContain('curl -sS -T FILE http://localhost:8080/api/vaults/ID/content/FILE')
    expect(evaluation).toContain('The console is at http://localhost:8080/console.')
    const production = await notes('production', { console: { enabled: false } })
    expect(production).toContain("curl -sS -H 'authorization: Bearer KEY' https://files.example.org/api/vaults\n")
    expect(production).not.toContain('/console')
  })

  it('say who is let in, what runs on one node, what to do next, and what is scaled by load', async () => {
    expect(await notes('evaluation')).toMatch(/LETS ANYBODY IN[\s\S]*not ReadWriteMany[\s\S]*one node/)
    expect(await notes('keda')).toMatch(/operator set-up account[\s\S]*Scaled by load: auth \(keda\)/)
  })

  it('say which set-up must succeed, and how to see how it ended', async () => {
    expect(await notes('evaluation')).toMatch(
      /deployed only after its set-up \(bucket, network, account\) succeeded[\s\S]*get job acme-tideport-set-up\n/,
    )
    expect(await notes('production', { setUp: { network: false } })).not.toContain('set-up (')
  })

  it('name all that stays when the release is removed', async () => {
    const evaluation = await notes('evaluation')
    for (const name of ['acme-tideport-network', 'postgres-0', 'nats-0', 's3-0']) {
      expect(evaluation).toMatch(new RegExp(`claim \\S*${name}, `))
    }
    for (const name of ['postgres', 's3']) expect(evaluation).toContain(`Secret acme-tideport-${name},`)
    expect(evaluation).not.toContain('servers of yours')
    expect(await notes('production')).toMatch(/servers of yours: the schemas .*, the bucket tideport-hot, the streams /)
  })
})

it('in development mode the set-up makes the account that a request without a key is', async () => {
  const steps = async (example: string) =>
    podsOf(await helm.template(example))
      .filter(({ labels }) => labels['app.kubernetes.io/component'] === 'set-up')
      .flatMap(({ spec }) => spec.containers[0].args)
  expect(await steps('evaluation')).toEqual(['operator', 'set-up', 'bucket', 'network', 'account'])
  expect(await steps('production')).toEqual(['operator', 'set-up', 'network'])
})

describe('the origins of browsers', () => {
  const origins = async (values: object) => {
    const pods = podsOf(await helm.template('production', { setUp: { bucket: true }, ...values }))
    const containers = pods.flatMap(({ spec }) => containersOf(spec))
    const readers = containers.filter(({ name }) => ['set-up', 'files', 'gateway', 'toolbox'].includes(name))
    const valueIn = ({ env }: Manifest) => env.find((one: Manifest) => one.name === 'CORS_ORIGINS')?.value
    return readers.map(valueIn)
  }

  // `operator set-up bucket` leaves the bucket's rule alone without them; a comma is the empty list.
  it('are in each pod that `operator set-up bucket` is run in, also that there are none', async () => {
    const without = { console: { enabled: false } }
    expect(await origins(without)).toEqual(Array(4).fill('https://app.example.org'))
    expect(await origins({ ...without, config: { corsOrigins: [] } })).toEqual(Array(4).fill(','))
    expect(await origins({ config: { corsOrigins: null } })).toEqual(Array(4).fill(undefined))
  })

  it('of the evaluation are the console’s, which uploads to another port', async () => {
    const containers = podsOf(await helm.template('evaluation')).flatMap(({ spec }) => containersOf(spec))
    const { env } = containers.find(({ name }) => name === 'set-up') as Manifest
    expect(env).toContainEqual({ name: 'CORS_ORIGINS', value: 'http://localhost:8080' })
  })

  it('have the console’s among them, as long as there is one', async () => {
    const config = { publicUrl: 'https://files.example.org:443/below' }
    const own = 'https://files.example.org'
    expect(await origins({ config })).toEqual(Array(4).fill(`https://app.example.org,${own}`))
    expect(await origins({ config: { ...config, corsOrigins: [] } })).toEqual(Array(4).fill(own))
    expect(await origins({ config: { ...config, corsOrigins: ['*'] } })).toEqual(Array(4).fill('*'))
  })
})
