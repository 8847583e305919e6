import { consumers, networkConsumers } from '@tideport/contracts/internal/streams'
import { describe, expect, it } from 'vitest'
import { useHelm } from './support/helm.ts'
import { type Manifest, ofKind, theOne } from './support/manifests.ts'

const helm = useHelm('helm4')
const workloads = ['auth', 'eviction', 'files', 'gateway', 'sync', 'webhooks']
const storeOn = (network: string) => networkConsumers(network).store
const proveOn = (network: string) => networkConsumers(network).prove
const componentOf = ({ metadata }: Manifest) => metadata.name.replace('acme-tideport-', '')

describe('replicas', () => {
  // Helm 4 uses server-side apply: a number here would conflict with the autoscaler's at the next upgrade.
  it.each([
    ['keda', 'ScaledObject'],
    ['hpa', 'HorizontalPodAutoscaler'],
  ])('are left to the autoscaler in mode %s', async (mode, kind) => {
    const manifests = await helm.template(mode)
    const scaled = ofKind(manifests, kind)
    expect(scaled.map(componentOf).toSorted()).toEqual(workloads)
    for (const { spec } of scaled) {
      const { spec: deployment } = theOne(manifests, 'Deployment', spec.scaleTargetRef.name)
      expect(deployment).not.toHaveProperty('replicas')
    }
  })

  it('come from the values in mode off, without an autoscaler', async () => {
    const manifests = await helm.template('production')
    expect(theOne(manifests, 'Deployment', '-sync').spec.replicas).toBe(2)
    expect([...ofKind(manifests, 'ScaledObject'), ...ofKind(manifests, 'HorizontalPodAutoscaler')]).toEqual([])
  })

  it('are omitted if null, for `kubectl scale`', async () => {
    const manifests = await helm.template('production', { sync: { replicas: null } })
    expect(theOne(manifests, 'Deployment', '-sync').spec).not.toHaveProperty('replicas')
  })

  it('below two create no PodDisruptionBudget, which would block a drain', async () => {
    const budgets = ofKind(await helm.template('production'), 'PodDisruptionBudget')
    expect(budgets.map(componentOf).toSorted()).toEqual(workloads.filter((name) => name !== 'eviction'))
    for (const { spec } of budgets)
      expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' })
  })
})

describe('a ScaledObject', () => {
  it.each([
    ['keda', 'sync', [consumers.rehydrate, storeOn('embedded')]],
    ['keda', 'eviction', [consumers.evict, proveOn('embedded')]],
    ['keda', 'webhooks', [consumers.fanOut]],
    ['networks', 'sync', [consumers.rehydrate, storeOn('disk-a'), storeOn('disk-b'), storeOn('embedded')]],
    ['networks', 'eviction', [consumers.evict, proveOn('disk-a'), proveOn('disk-b'), proveOn('embedded')]],
  ])('of %s has, for %s, a trigger for each consumer of the service', async (example, name, expected) => {
    const { spec } = theOne(await helm.template(example), 'ScaledObject', `-${name}`)
    expect(spec.triggers).toMatchObject(
      expected.map(({ stream, durable }) => ({
        type: 'nats-jetstream',
        metricType: 'AverageValue',
        metadata: { stream, consumer: durable, account: '$G', activationLagThreshold: '0' },
      })),
    )
  })

  it('of a sync that serves only some networks has only triggers for their queues', async () => {
    const values = { sync: { settings: { SYNC_NETWORKS: 'disk-b' } } }
    const { spec } = theOne(await helm.template('networks', values), 'ScaledObject', '-sync')
    expect(spec.triggers.map(({ metadata }: Manifest) => metadata.consumer)).toEqual(['rehydrate', 'store-disk-b'])
  })

  it('keeps the current replicas while the queue is unreadable, and never scales to zero', async () => {
    const scaled = ofKind(await helm.template('keda'), 'ScaledObject')
    const { spec: sync } = theOne(scaled, 'ScaledObject', '-sync')
    expect(sync.fallback).toEqual({ failureThreshold: 3, replicas: 3, behavior: 'currentReplicasIfHigher' })
    for (const { spec } of scaled) {
      expect(spec.minReplicaCount).toBeGreaterThan(0)
      expect(spec).not.toHaveProperty('pollingInterval')
      expect(spec).not.toHaveProperty('cooldownPeriod')
    }
  })

  it('has strings only in the metadata of its triggers', async () => {
    for (const example of ['keda', 'everything']) {
      const triggers = ofKind(await helm.template(example), 'ScaledObject').flatMap(({ spec }) => spec.triggers)
      expect(triggers.length).toBeGreaterThan(1)
      const values = triggers.flatMap(({ metadata }) => Object.values(metadata))
      expect(values.filter((value) => typeof value !== 'string')).toEqual([])
    }
  })

  it('has triggers for the queues of the values if they are set', async () => {
    const queues = [
      { stream: 'JOBS', consumer: 'store-embedded' },
      { stream: 'JOBS', consumer: 'store-archive' },
    ]
    const { spec } = theOne(await helm.template('keda', { sync: { queues } }), 'ScaledObject', '-sync')
    expect(spec.triggers.map(({ metadata }: Manifest) => metadata.consumer)).toEqual([
      'store-embedded',
      'store-archive',
    ])
  })

  it('scales down like an HPA', async () => {
    const keda = theOne(await helm.template('keda'), 'ScaledObject', '-sync').spec.advanced
      .horizontalPodAutoscalerConfig
    const hpa = theOne(await helm.template('hpa'), 'HorizontalPodAutoscaler', '-sync')
    expect([keda.name, keda.behavior]).toEqual([hpa.metadata.name, hpa.spec.behavior])
  })

  it('queries the headless Service of dev.nats', async () => {
    const values = { sync: { autoscaling: { mode: 'keda' } } }
    const { spec } = theOne(await helm.template('evaluation', values), 'ScaledObject', '-sync')
    expect(spec.triggers[0].metadata.natsServerMonitoringEndpoint).toBe('acme-tideport-nats.storage.svc:8222')
  })

  it('reads the NATS account from a Secret', async () => {
    const manifests = await helm.template('everything')
    const [trigger] = theOne(manifests, 'ScaledObject', '-sync').spec.triggers
    expect(trigger.metadata).not.toHaveProperty('account')
    expect(trigger.authenticationRef.name).toBe(theOne(manifests, 'TriggerAuthentication', '').metadata.name)
  })
})

describe('a prerequisite', () => {
  const order = ({ metadata }: Manifest) => metadata.annotations?.['helm.sh/hook-weight']

  const orderIn = async (example: string) =>
    ofKind(await helm.template(example), 'Job')
      .map((job) => [
        componentOf(job).replace(/-\w{8}$/, ''),
        order(job),
        job.metadata.annotations?.['helm.sh/hook'].split(',')[0],
      ])
      .toSorted(([, a], [, b]) => Number(a ?? 0) - Number(b ?? 0))

  it('is created by hooks: first schemas, then streams and consumers', async () => {
    expect(await orderIn('keda')).toEqual([
      ['migrate', '-5', 'pre-install'],
      ['provision', '0', 'pre-install'],
      ['set-up', '5', 'post-install'],
    ])
  })

  it('is created after the servers if the release contains them', async () => {
    expect(await orderIn('evaluation')).toEqual([
      ['migrate', undefined, undefined],
      ['provision', '0', 'post-install'],
      ['set-up', '5', 'post-install'],
    ])
  })

  it('is not created in mode external', async () => {
    const values = {
      migrations: { mode: 'external' },
      jetstream: { provision: { mode: 'external' } },
      setUp: { network: false },
    }
    expect(ofKind(await helm.template('production', values), 'Job')).toEqual([])
  })

  // Jobs are immutable, so a changed Job needs a new name, and an unchanged one keeps its name.
  it('runs again if its content changed', async () => {
    const name = async (values: object) => theOne(await helm.template('production', values), 'Job', '').metadata.name
    const only = {
      migrations: { mode: 'job' },
      jetstream: { provision: { mode: 'external' } },
      setUp: { network: false },
    }
    const before = await name(only)
    expect(await name({ ...only, gateway: { replicas: 5 } })).toBe(before)
    expect(await name({ ...only, image: { tag: '9.9.9' } })).not.toBe(before)
  })

  it('migrates each schema once, with the direct Postgres URL if a pooler is used', async () => {
    const jobs = ofKind(await helm.template('everything'), 'Job')
    const { spec } = jobs.find(({ metadata }) => metadata.name.includes('-migrate'))
    const [{ args, env }] = spec.template.spec.containers
    expect(args).toEqual(['operator', 'set-up', 'database', 'migrations'])
    const urls = env.filter(({ name }: Manifest) => /^(AUTH|FILES|WEBHOOKS)_DATABASE_URL$/.test(name))
    expect(urls.map(({ valueFrom }: Manifest) => valueFrom.secretKeyRef)).toEqual([
      { name: 'db-auth', key: 'direct-url' },
      { name: 'db-files', key: 'direct-url' },
      { name: 'db-webhooks', key: 'direct-url' },
    ])
  })
})
