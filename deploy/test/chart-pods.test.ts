import { describe, expect, it } from 'vitest'
import { examples, useHelm } from './support/helm.ts'
import { containersOf, type Manifest, ofKind, podsOf, selects, servicesOf, theOne } from './support/manifests.ts'

describe('every pod', () => {
  const helm = useHelm('helm4')

  it.each(examples)('of %s fits the restricted profile, with a root that cannot be written', async (example) => {
    for (const { owner, spec } of podsOf(await helm.template(example))) {
      expect(spec.securityContext, owner.metadata.name).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(spec).not.toHaveProperty('hostNetwork')
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

  it.each(examples)('of %s gets no token of the API server and no variables of Services', async (example) => {
    for (const { spec } of podsOf(await helm.template(example))) {
      expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
    }
  })

  it.each(examples)('of %s mounts what it has and has what it mounts', async (example) => {
    for (const { owner, spec } of podsOf(await helm.template(example))) {
      const claimed = (owner.spec.volumeClaimTemplates ?? []).map(({ metadata }: Manifest) => metadata.name)
      const volumes = new Set([...spec.volumes.map(({ name }: Manifest) => name), ...claimed])
      const mounted = new Set(
        containersOf(spec).flatMap((one) => (one.volumeMounts ?? []).map((m: Manifest) => m.name)),
      )
      expect(mounted, owner.metadata.name).toEqual(volumes)
    }
  })

  it('comes from the one image, by the word of its program', async () => {
    const pods = podsOf(await helm.template('production'))
    const own = pods.flatMap(({ spec }) => containersOf(spec))
    expect(new Set(own.map(({ image }) => image))).toEqual(new Set(['tideport:0.1.0']))
    const others = own.filter(({ command, args }) => command !== undefined || args.length === 0)
    expect(others.map(({ name, command }) => [name, command])).toEqual([['toolbox', ['sleep', 'infinity']]])
  })

  it('comes from the mirror where there is one, by its digest where that is given', async () => {
    const images = podsOf(await helm.template('everything'))
      .flatMap(({ spec }) => containersOf(spec))
      .map((c) => c.image)
    expect(new Set(images.filter((image) => image !== 'aside'))).toEqual(
      new Set([`images.example.org/mirror/tideport@sha256:${'1'.repeat(64)}`]),
    )
  })

  it('of a Job that is a hook uses nothing that the release itself brings', async () => {
    const manifests = await helm.template('production')
    const brought = new Set(manifests.filter(({ metadata }) => !metadata.annotations?.['helm.sh/hook']).map(nameOf))
    const hooks = ofKind(manifests, 'Job').filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'])
    expect(hooks.map(nameOf)).toEqual(['acme-tideport-migrate', 'acme-tideport-provision'])
    for (const { spec } of podsOf(hooks)) {
      expect(spec.serviceAccountName).toBe('default')
      const used = JSON.stringify([spec.volumes, spec.containers, spec.initContainers])
      expect([...brought].filter((name) => used.includes(`"${name}"`))).toEqual([])
    }
  })
})

const nameOf = ({ metadata }: Manifest): string => metadata.name

describe('a Deployment', () => {
  const helm = useHelm('helm4')

  it.each(examples)('of %s selects its own pods and no others', async (example) => {
    const pods = podsOf(await helm.template(example))
    for (const deployment of ofKind(await helm.template(example), 'Deployment')) {
      const selected = pods.filter(({ labels }) => selects(deployment.spec.selector, labels))
      expect(selected.map(({ owner }) => nameOf(owner))).toEqual([nameOf(deployment)])
    }
  })

  // The kubelet waits longer than what the process gives itself, whatever is set.
  it.each([
    {},
    {
      defaults: { preStopSeconds: 30, drainSeconds: 120 },
      sync: { drainSeconds: 600 },
      files: { streamDrainSeconds: 0 },
    },
  ])('has the same numbers for its end: with %o', async (values) => {
    for (const { spec } of servicesOf(await helm.template('production', values))) {
      const [{ env, lifecycle }] = spec.containers
      const preStop = lifecycle?.preStop.sleep.seconds ?? 0
      const given = (setting: string) => Number(env.find(({ name }: Manifest) => name === setting)?.value ?? 0)
      const own = given('SHUTDOWN_SECONDS') + given('STREAM_DRAIN_SECONDS')
      expect(spec.terminationGracePeriodSeconds).toBe(preStop + own + 10)
    }
  })

  it('that is called by others sleeps before it stops, and a worker does not', async () => {
    for (const { spec } of servicesOf(await helm.template('production'))) {
      const [{ name, ports, lifecycle }] = spec.containers
      expect([name, lifecycle !== undefined]).toEqual([name, ports.some((port: Manifest) => port.name === 'http')])
    }
  })

  it('asks liveness of the process alone, readiness on the port that is never public', async () => {
    for (const { spec } of servicesOf(await helm.template('production'))) {
      const [{ startupProbe, readinessProbe, livenessProbe, ports }] = spec.containers
      expect(startupProbe.httpGet).toEqual({ path: '/live', port: 'admin' })
      expect(livenessProbe.httpGet).toEqual({ path: '/live', port: 'admin' })
      expect(readinessProbe.httpGet).toEqual({ path: '/ready', port: 'admin' })
      expect(ports).toContainEqual({ name: 'admin', containerPort: 9090, protocol: 'TCP' })
    }
  })

  it('is spread over zones and hosts, softly', async () => {
    const spread = theOne(await helm.template('production'), 'Deployment', '-gateway').spec.template.spec
    expect(spread.topologySpreadConstraints).toMatchObject([
      { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
      { topologyKey: 'kubernetes.io/hostname', matchLabelKeys: ['pod-template-hash'] },
    ])
  })

  it('that needs a volume of one node goes where the others are', async () => {
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
