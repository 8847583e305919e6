import { execFile } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import manifest from '../package.json' with { type: 'json' }
import { chart, exampleFile, examples, helms, target, useHelm } from './support/helm.ts'
import { containersOf, type Manifest, named, ofKind, podsOf, selects, servicesOf, theOne } from './support/manifests.ts'
import { tool } from './support/tool.ts'

const helm = useHelm('helm4')

describe.each(helms)('the chart with %s', (name) => {
  const helm = useHelm(name)

  it.each(examples)('passes `helm lint --strict` with the values of %s', async (example) => {
    await helm.run(['lint', '--strict', ...target, chart, '-f', exampleFile(example)])
  })

  it.each(examples)('renders %s to objects with unique names', async (example) => {
    const names = (await helm.template(example)).map(named)
    expect(names.length).toBeGreaterThan(15)
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
  })

  // Otherwise every sync of a GitOps controller would restart every pod.
  it.each(examples)('renders %s identically twice, except for passwords of dev', async (example) => {
    const render = async (values: object) => (await helm.template(example, values)).filter((item) => !isDevSecret(item))
    expect(await render({ global: { unknown: 1 } })).toEqual(await render({}))
  })

  it('is packaged with its README and the examples that the README links', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tideport-chart-'))
    const said = await helm.run(['package', '--destination', folder.path, chart])
    const archive = /saved it to: (.+)/.exec(said)?.[1] ?? ''
    expect(await helm.run(['show', 'readme', archive])).toContain('# ')
    const { stdout } = await promisify(execFile)('tar', ['--list', '--file', archive])
    for (const example of examples) expect(stdout).toContain(`tideport/ci/${example}-values.yaml\n`)
  })

  it('creates no Secrets except those of dev', async () => {
    expect(examples).toContain('evaluation')
    for (const example of examples.filter((other) => other !== 'evaluation')) {
      expect(ofKind(await helm.template(example), 'Secret')).toEqual([])
    }
    expect(ofKind(await helm.template('evaluation'), 'Secret').map(named)).toEqual([
      'Secret acme-tideport-postgres',
      'Secret acme-tideport-s3',
    ])
  })

  it('needs no CRD by default', async () => {
    const groups = new Set((await helm.template('production', withoutRoute)).map(({ apiVersion }) => apiVersion))
    expect([...groups].toSorted()).toEqual(['apps/v1', 'batch/v1', 'policy/v1', 'v1'])
  })

  it('refuses Kubernetes versions below 1.30', async () => {
    const args = ['template', 'acme', chart, '-f', exampleFile('production'), '--kube-version']
    await helm.run([...args, '1.30.0'])
    await expect(helm.run([...args, '1.29.14'])).rejects.toThrow(/requires kubeVersion: >=1.30/)
  })
})

const withoutRoute = { gateway: { httpRoute: { enabled: false } } }

const isDevSecret = ({ kind }: Manifest) => kind === 'Secret'

describe.runIf(helms.length > 1)('Helm 3 and Helm 4', () => {
  const [helm3, helm4] = [useHelm('helm3'), useHelm('helm4')]

  it.each(examples)('render %s to the same objects', async (example) => {
    const render = async (helm: typeof helm3) => (await helm.template(example)).filter((item) => !isDevSecret(item))
    const [three, four] = await Promise.all([render(helm3), render(helm4)])
    expect(byName(three)).toEqual(byName(four))
  })
})

const byName = (manifests: Manifest[]) => manifests.toSorted((a, b) => (named(a) < named(b) ? -1 : 1))

describe('every pod', () => {
  it.each(examples)('of %s is restricted, has no token, and mounts only its own volumes', async (example) => {
    for (const { owner, spec } of podsOf(await helm.template(example))) {
      const { name } = owner.metadata
      const profile = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }
      expect(spec.securityContext, name).toMatchObject(profile)
      expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
      expect(spec).not.toHaveProperty('hostNetwork')
      const claimed = (owner.spec.volumeClaimTemplates ?? []).map(({ metadata }: Manifest) => metadata.name)
      const mounts = containersOf(spec).flatMap(({ volumeMounts = [] }) => volumeMounts.map((m: Manifest) => m.name))
      expect(new Set(mounts), name).toEqual(new Set([...spec.volumes.map((one: Manifest) => one.name), ...claimed]))
      for (const container of containersOf(spec).filter(({ image }) => image !== 'aside')) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(container.volumeMounts).toContainEqual(expect.objectContaining({ mountPath: '/tmp' }))
        expect(container.resources.requests).toHaveProperty('memory')
      }
    }
  })

  it('runs the common image with the name of its program', async () => {
    const pods = podsOf(await helm.template('production'))
    const own = pods.flatMap(({ spec }) => containersOf(spec))
    expect(new Set(own.map(({ image }) => image))).toEqual(new Set([`tideport:${manifest.version}`]))
    const others = own.filter(({ command, args }) => command !== undefined || args.length === 0)
    expect(others.map(({ name, command }) => [name, command])).toEqual([['toolbox', ['sleep', 'infinity']]])
  })

  it('uses the registry mirror and the image digest if they are set', async () => {
    const images = podsOf(await helm.template('everything'))
      .flatMap(({ spec }) => containersOf(spec))
      .map((c) => c.image)
    expect(new Set(images.filter((image) => image !== 'aside'))).toEqual(
      new Set([`images.example.org/mirror/tideport@sha256:${'1'.repeat(64)}`]),
    )
  })

  it('of a hook before the release uses no object of the release', async () => {
    const manifests = await helm.template('production')
    const brought = new Set(manifests.filter(({ metadata }) => !metadata.annotations?.['helm.sh/hook']).map(nameOf))
    const hooks = ofKind(manifests, 'Job').filter(({ metadata }) => eventsOf(metadata).includes('pre-install'))
    expect(hooks.map(nameOf)).toEqual(['acme-tideport-migrate', 'acme-tideport-provision'])
    for (const { spec } of podsOf(hooks)) {
      expect(spec.serviceAccountName).toBe('default')
      const used = JSON.stringify([spec.volumes, spec.containers, spec.initContainers])
      expect([...brought].filter((name) => used.includes(`"${name}"`))).toEqual([])
    }
  })
})

const eventsOf = ({ annotations }: Manifest): string => annotations?.['helm.sh/hook'] ?? ''

describe('set-up', () => {
  it.each(examples)('of %s fails an install or upgrade with its log and keeps its Job', async (example) => {
    const { metadata, spec } = theOne(await helm.template(example), 'Job', '-set-up')
    expect(eventsOf(metadata)).toBe('post-install,post-upgrade')
    expect(metadata.annotations).toMatchObject({
      'helm.sh/hook-delete-policy': 'before-hook-creation',
      'helm.sh/hook-output-log-policy': 'hook-failed',
    })
    expect(spec.template.spec.initContainers).toBeUndefined()
    expect(spec.template.spec.serviceAccountName).toBe('acme-tideport')
  })
})

const nameOf = ({ metadata }: Manifest): string => metadata.name

describe('a Deployment', () => {
  it.each(examples)('of %s selects only its own pods', async (example) => {
    const pods = podsOf(await helm.template(example))
    for (const deployment of ofKind(await helm.template(example), 'Deployment')) {
      const selected = pods.filter(({ labels }) => selects(deployment.spec.selector, labels))
      expect(selected.map(({ owner }) => nameOf(owner))).toEqual([nameOf(deployment)])
    }
  })

  // The kubelet waits longer than the process's own shutdown limit, for all values.
  it.each([
    {},
    {
      defaults: { preStopSeconds: 30, drainSeconds: 120 },
      sync: { drainSeconds: 600 },
      files: { streamDrainSeconds: 0 },
    },
  ])('uses consistent shutdown times with %o', async (values) => {
    for (const { spec } of servicesOf(await helm.template('production', values))) {
      const [{ env, lifecycle }] = spec.containers
      const preStop = lifecycle?.preStop.sleep.seconds ?? 0
      const given = (setting: string) => Number(env.find(({ name }: Manifest) => name === setting)?.value ?? 0)
      const own = given('SHUTDOWN_SECONDS') + given('STREAM_DRAIN_SECONDS')
      expect(spec.terminationGracePeriodSeconds).toBe(preStop + own + 10)
    }
  })

  it('waits before SIGTERM if it has callers, and serves probes on the internal admin port only', async () => {
    for (const { spec } of servicesOf(await helm.template('production'))) {
      const [{ name, ports, lifecycle, startupProbe, readinessProbe, livenessProbe }] = spec.containers
      expect([name, lifecycle !== undefined]).toEqual([name, ports.some((port: Manifest) => port.name === 'http')])
      for (const probe of [startupProbe, livenessProbe]) expect(probe.httpGet).toEqual({ path: '/live', port: 'admin' })
      expect(readinessProbe.httpGet).toEqual({ path: '/ready', port: 'admin' })
      expect(ports).toContainEqual({ name: 'admin', containerPort: 9090, protocol: 'TCP' })
    }
  })

  it('prefers to spread over zones and hosts', async () => {
    const spread = theOne(await helm.template('production'), 'Deployment', '-gateway').spec.template.spec
    expect(spread.topologySpreadConstraints).toMatchObject([
      { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
      { topologyKey: 'kubernetes.io/hostname', matchLabelKeys: ['pod-template-hash'] },
    ])
  })

  it('that mounts a ReadWriteOnce volume runs on the node of its other users', async () => {
    const pods = podsOf(await helm.template('evaluation')).filter(({ spec }) =>
      spec.volumes.some(({ name }: Manifest) => name === 'network'),
    )
    expect(pods.map(({ owner }) => nameOf(owner).replace(/(set-up)-\w{8}$/, '$1'))).toEqual(
      expect.arrayContaining([
        'acme-tideport-eviction',
        'acme-tideport-files',
        'acme-tideport-set-up',
        'acme-tideport-sync',
      ]),
    )
    for (const { spec } of pods) {
      const [{ topologyKey, labelSelector }] = spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution
      expect(topologyKey).toBe('kubernetes.io/hostname')
      expect(pods.every(({ labels }) => selects(labelSelector, labels))).toBe(true)
      expect(spec).not.toHaveProperty('topologySpreadConstraints')
    }
  })
})

const schemas = fileURLToPath(new URL('../schemas/kubernetes.json', import.meta.url))

/** Checks field names and types with the schemas of a real API server and of the CRDs (deploy/schemas/make.ts). */
describe('kubeconform', () => {
  let path = ''
  let missing = ''
  beforeAll(async () => {
    const got = await tool('kubeconform')
    if ('path' in got) path = got.path
    else missing = got.missing
  }, 900_000)
  beforeEach((context) => context.skip(missing !== '', missing))

  async function check(manifests: Manifest[]): Promise<string> {
    const running = promisify(execFile)(path, ['-strict', '-summary', '-schema-location', schemas])
    running.child.stdin?.end(manifests.map((manifest) => stringify(manifest)).join('---\n'))
    const { stdout } = await running.catch((error: { stdout: string }) => error)
    return stdout
  }

  it.each(examples)('accepts the objects of %s', async (example) => {
    const manifests = await helm.template(example)
    expect(await check(manifests)).toContain(`Valid: ${manifests.length}, Invalid: 0, Errors: 0, Skipped: 0`)
  })

  it.each([
    ['Deployment', ['spec', 'template', 'spec', 'enableServiceLink']],
    ['NetworkPolicy', ['spec', 'egres']],
    ['ScaledObject', ['spec', 'fallback', 'replica']],
    ['PodMonitor', ['spec', 'podMetricsEndpoints', '0', 'ports']],
    ['HTTPRoute', ['spec', 'rules', '0', 'backendRef']],
  ])('rejects a misspelled field of a %s', async (kind, steps) => {
    const manifest = (await helm.template('everything')).find((item) => item.kind === kind)
    const parent = steps.slice(0, -1).reduce((node, step) => node[step], manifest)
    parent[steps.at(-1) as string] = true
    expect(await check([manifest])).toContain(`additional properties '${steps.at(-1)}' not allowed`)
  })

  it('rejects a fallback behavior that KEDA does not support', async () => {
    const manifests = await helm.template('everything')
    const scaled = manifests.find(({ kind }) => kind === 'ScaledObject')
    scaled.spec.fallback.behavior = 'panic'
    expect(await check([scaled])).toContain('Invalid: 1')
  })
})
