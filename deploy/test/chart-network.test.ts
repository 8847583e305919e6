import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { chart, examples, useHelm } from './support/helm.ts'
import { containersOf, type Manifest, ofKind, podsOf, selects, theOne } from './support/manifests.ts'

const helm = useHelm('helm4')

describe('a Service', () => {
  it.each(examples)('of %s targets a port of its pods, and the gateway uses its URL', async (example) => {
    const manifests = await helm.template(example)
    const services = ofKind(manifests, 'Service')
    expect(services.length).toBeGreaterThanOrEqual(4)
    for (const { metadata, spec } of services) {
      const pods = podsOf(manifests).filter(({ labels }) => selects({ matchLabels: spec.selector }, labels))
      expect(pods.length, metadata.name).toBeGreaterThan(0)
      for (const { spec: pod } of pods) {
        const ports = containersOf(pod).flatMap((container) => container.ports ?? [])
        const names = ports.map(({ name }) => name)
        expect(names).toEqual(expect.arrayContaining(spec.ports.map((port: Manifest) => port.targetPort)))
      }
    }
    const { env } = theOne(manifests, 'Deployment', '-gateway').spec.template.spec.containers[0]
    for (const name of ['auth', 'files', 'webhooks']) {
      const { value } = env.find((entry: Manifest) => entry.name === `${name.toUpperCase()}_URL`)
      const { metadata, spec } = theOne(manifests, 'Service', `-${name}`)
      expect(value).toBe(`http://${metadata.name}:${spec.ports[0].port}`)
    }
  })

  it('of the gateway is the backend of the Ingress and the HTTPRoute', async () => {
    const manifests = await helm.template('everything')
    const { metadata, spec } = theOne(manifests, 'Service', '-gateway')
    const [{ name, port }] = theOne(manifests, 'HTTPRoute', '').spec.rules.at(-1).backendRefs
    expect([name, port]).toEqual([metadata.name, spec.ports[0].port])
    const { service } = theOne(manifests, 'Ingress', '').spec.rules[0].http.paths[0].backend
    expect(service).toEqual({ name: metadata.name, port: { name: spec.ports[0].name } })
  })

  it('of dev.s3 targets the door, which rejects truncated uploads, and versitygw accepts only local connections', async () => {
    const { spec } = theOne(await helm.template('evaluation'), 'StatefulSet', '-s3').spec.template
    const [versitygw, door] = spec.containers
    expect(versitygw.args.slice(0, 2)).toEqual(['--port', '127.0.0.1:9001'])
    expect(versitygw.ports).toBeUndefined()
    expect(door).toMatchObject({ args: ['versitygw-door', '9000', '127.0.0.1:9001'], ports: [{ containerPort: 9000 }] })
  })
})

describe('network policies', () => {
  type Rule = { from?: Manifest[]; to?: Manifest[]; ports?: { port: number }[] }

  /** Whether a rule allows a pod with these labels at this port. */
  const lets = (rules: Rule[], peer: 'from' | 'to', labels: Record<string, string>, port: number) =>
    rules.some((rule) => {
      const isPort = rule.ports === undefined || rule.ports.some((one) => one.port === port)
      return isPort && (rule[peer] ?? []).some(({ podSelector }) => podSelector && selects(podSelector, labels))
    })

  const policyOf = (manifests: Manifest[], labels: Record<string, string>) =>
    ofKind(manifests, 'NetworkPolicy').filter(({ spec }) => selects(spec.podSelector, labels))

  const withPolicy = { networkPolicy: { enabled: true } }

  it.each(['evaluation', 'production'])('of %s cover each pod once, for ingress and egress', async (example) => {
    const manifests = await helm.template(example, withPolicy)
    for (const { labels } of podsOf(manifests)) {
      const found = policyOf(manifests, labels)
      expect(found).toHaveLength(1)
      expect(found[0].spec.policyTypes).toEqual(['Ingress', 'Egress'])
    }
  })

  /** If an environment names the address of a Service, the policies of both ends must allow that connection. */
  it('allow the connections that the environments of pods name', async () => {
    const manifests = await helm.template('evaluation', withPolicy)
    const pods = podsOf(manifests)
    let connections = 0
    for (const { labels, spec } of pods) {
      const values = containersOf(spec).flatMap(({ env }) => (env ?? []).map(({ value }: Manifest) => String(value)))
      for (const service of ofKind(manifests, 'Service')) {
        const { port, targetPort } = service.spec.ports[0]
        if (!values.some((value) => value.includes(`//${service.metadata.name}:${port}`))) continue
        const target = pods.find((pod) => selects({ matchLabels: service.spec.selector }, pod.labels)) as Manifest
        const targetPorts = containersOf(target.spec).flatMap(({ ports }) => ports ?? [])
        const { containerPort } = targetPorts.find(({ name }) => name === targetPort)
        const [[own], [theirs]] = [policyOf(manifests, labels), policyOf(manifests, target.labels)]
        expect(lets(own.spec.egress, 'to', labels && target.labels, containerPort), `${own.metadata.name} out`).toBe(
          true,
        )
        const isOpen = theirs.spec.ingress.some((rule: Rule) => !rule.from && rule.ports?.[0]?.port === containerPort)
        expect(isOpen || lets(theirs.spec.ingress, 'from', labels, containerPort), `${theirs.metadata.name} in`).toBe(
          true,
        )
        connections += 1
      }
    }
    expect(connections).toBeGreaterThan(8)
  })

  it('deny all other ingress', async () => {
    const manifests = await helm.template('everything')
    const policy = (name: string) => theOne(manifests, 'NetworkPolicy', `-${name}`).spec.ingress as Rule[]
    const labels = (component: string) => ({
      'app.kubernetes.io/instance': 'acme',
      'app.kubernetes.io/component': component,
    })
    expect(lets(policy('auth'), 'from', labels('gateway'), 8081)).toBe(true)
    expect(lets(policy('auth'), 'from', labels('files'), 8081)).toBe(false)
    expect(lets(policy('files'), 'from', labels('gateway'), 9090)).toBe(false)
    expect(policy('sync').flatMap(({ ports }) => ports)).toEqual([{ port: 9090, protocol: 'TCP' }])
    expect(policy('gateway')[0]?.from).toContainEqual({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'gateways' } },
    })
  })

  it('allow egress to the ports of the URLs in the values, unless the values name other ports', async () => {
    const values = {
      ...withPolicy,
      nats: { url: 'nats://one.nats.svc:4333, nats://two.nats.svc' },
      s3: { endpoint: 'http://store.example.svc:9000' },
      identity: { issuer: 'https://login.example.org:8443/realm', audience: 'files' },
      otel: { enabled: true, endpoint: 'http://collector.otel.svc:4319' },
    }
    const portsOf = async (component: string, own: object = {}) => {
      const manifests = await helm.template('hpa', { ...values, ...own })
      const rules = theOne(manifests, 'NetworkPolicy', `-${component}`).spec.egress as Rule[]
      return rules.map(({ ports }) => ports?.map(({ port }) => port))
    }
    expect(await portsOf('files')).toEqual([[53, 53], [5432], [4333, 4222], [9000], [4319]])
    expect((await portsOf('gateway')).slice(-2)).toEqual([[8443], [4319]])
    const named = { networkPolicy: { enabled: true, egress: { s3: { ports: [9443] } } } }
    expect((await portsOf('files', named))[3]).toEqual([9443])
    expect((await portsOf('gateway', { identity: {}, otel: {} })).at(-1)).toEqual([443])
  })

  it('allow egress to export buckets for eviction only', async () => {
    const manifests = await helm.template('everything', {
      networkPolicy: {
        enabled: true,
        egress: { exports: { to: [{ ipBlock: { cidr: '0.0.0.0/0' } }], ports: [8443] } },
      },
    })
    const isLet = (name: string) =>
      theOne(manifests, 'NetworkPolicy', `-${name}`).spec.egress.some((rule: Rule) => rule.ports?.[0]?.port === 8443)
    expect(['eviction', 'files', 'sync'].filter(isLet)).toEqual(['eviction'])
  })

  it('allow only KEDA to query the monitoring port of dev.nats', async () => {
    const manifests = await helm.template('evaluation', withPolicy)
    const rules = theOne(manifests, 'NetworkPolicy', '-nats').spec.ingress as Rule[]
    const monitoring = rules.filter(({ ports }) => ports?.some(({ port }) => port === 8222))
    expect(monitoring.flatMap(({ from }) => from)).toEqual([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'keda' } } },
    ])
  })
})

describe('metrics', () => {
  it.each(['PodMonitor', 'ServiceMonitor'])('of every service are scraped by a %s', async (kind) => {
    const manifests = await helm.template('everything')
    const { spec } = theOne(manifests, kind, 'acme-tideport')
    const scraped = (labels: Record<string, string>) => {
      if (kind === 'PodMonitor') return selects(spec.selector, labels)
      const [service] = ofKind(manifests, 'Service').filter(({ metadata }) => selects(spec.selector, metadata.labels))
      return selects({ matchLabels: service.spec.selector }, labels)
    }
    const pods = podsOf(ofKind(manifests, 'Deployment'))
    expect(pods.filter(({ labels }) => scraped(labels))).toHaveLength(6)
    expect(podsOf(ofKind(manifests, 'Job')).filter(({ labels }) => scraped(labels))).toEqual([])
  })
})

describe('the NATS user of each process', () => {
  const names = ['auth', 'files', 'sync', 'eviction', 'webhooks', 'provision', 'toolbox']
  const secrets = Object.fromEntries(names.map((name) => [name, `nats-${name}`]))
  const using = async (nats: object) => {
    const manifests = await helm.template('production', { nats: { existingSecret: 'shared', ...nats } })
    const found = podsOf(manifests).map(({ labels, spec }) => {
      const urls = containersOf(spec).flatMap(({ env }) =>
        (env ?? []).filter(({ name }: Manifest) => name === 'NATS_URL'),
      )
      const ofUrls = urls.map(({ valueFrom }) => valueFrom?.secretKeyRef.name)
      const ofFiles = spec.volumes.filter(({ name }: Manifest) => name === 'nats')
      return [labels['app.kubernetes.io/component'], ofUrls.at(-1) ?? ofFiles[0]?.secret.secretName]
    })
    return Object.fromEntries(found.filter(([, secret]) => secret !== undefined))
  }

  it.each([
    ['URLs', { urlKey: 'url', credsKey: '' }],
    ['credentials files', { url: 'nats://nats:4222', urlKey: '', credsKey: 'nats.creds' }],
  ])('can have its own Secret, with %s', async (_, nats) => {
    expect(await using({ ...nats, secrets })).toEqual(secrets)
    const shared = Object.fromEntries(names.map((name) => [name, 'shared']))
    expect(await using(nats)).toEqual(shared)
    expect(await using({ ...nats, secrets: { files: 'own' } })).toEqual({ ...shared, files: 'own' })
  })
})

/** The chart must not expand the placeholders of Prometheus and Grafana. */
const annotations = { summary: '{{ $labels.instance }} is {{ $value }} s behind' }
const rules = (threshold: string) => ({
  groups: [
    {
      name: 'sample',
      rules: [{ alert: 'Sample', expr: `tideport_due_sync_age_seconds > <<${threshold}>>`, annotations }],
    },
  ],
})
const dashboard = '{ "title": "Sample", "legend": "{{instance}}" }\n'

describe('the chart with an additional rules file and dashboard', () => {
  let copy = ''
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'tideport-chart-'))
    await cp(chart, copy, { recursive: true })
    for (const folder of ['rules', 'dashboards']) await mkdir(join(copy, 'files', folder), { recursive: true })
    await writeFile(join(copy, 'files/rules/sample.yaml'), stringify(rules('sampleSeconds')))
    await appendFile(join(copy, 'files/thresholds.yaml'), 'sampleSeconds: 600\n')
    await writeFile(join(copy, 'files/dashboards/tideport-sample.json'), dashboard)
  })
  afterAll(() => rm(copy, { recursive: true }))

  it.each([
    ['of thresholds.yaml', {}, 600],
    ['of the values first', { sampleSeconds: 900 }, 900],
  ])('renders the rules with the thresholds %s', async (_, thresholds, expected) => {
    const manifests = await helm.template('production', { metrics: { rules: { enabled: true, thresholds } } }, copy)
    const [group] = theOne(manifests, 'PrometheusRule', '-sample').spec.groups
    expect(group.rules[0].expr).toBe(`tideport_due_sync_age_seconds > ${expected}`)
    expect(group.rules[0].annotations).toEqual(annotations)
  })

  it.each([
    ['', { runbook: 'docs/operate/alerts.md#tideportgatewaylatencyhigh' }],
    [
      'https://wiki.example.org/runbook',
      { runbook_url: 'https://wiki.example.org/runbook#tideportgatewaylatencyhigh' },
    ],
  ])('links alerts to the runbook at "%s" only if it is an absolute URL', async (runbookBaseUrl, expected) => {
    const rules = { enabled: true, thresholds: { runbookBaseUrl } }
    const alerts = ofKind(await helm.template('production', { metrics: { rules } }), 'PrometheusRule')
      .flatMap(({ spec }) => spec.groups)
      .flatMap((group) => group.rules)
      .filter(({ alert }) => alert)
    const { summary, description, ...runbook } = alerts.find(
      ({ alert }) => alert === 'TideportGatewayLatencyHigh',
    ).annotations
    expect([typeof summary, typeof description, runbook]).toEqual(['string', 'string', expected])
    expect(alerts.filter((one) => !Object.keys(expected).every((key) => key in one.annotations))).toEqual([])
  })

  it('rejects a rule whose threshold is not defined', async () => {
    await writeFile(join(copy, 'files/rules/sample.yaml'), stringify(rules('otherSeconds')))
    const rendered = helm.template('production', { metrics: { rules: { enabled: true } } }, copy)
    await expect(rendered).rejects.toThrow(/thresholds has no otherSeconds, which files\/rules\/sample.yaml needs/)
  })

  it('renders the unchanged dashboard with the label of Grafana’s sidecar', async () => {
    const values = { metrics: { dashboards: { enabled: true, folder: 'Tideport' } } }
    const { metadata, data } = theOne(await helm.template('production', values, copy), 'ConfigMap', '-dashboard-sample')
    expect(data).toEqual({ 'tideport-sample.json': dashboard })
    expect([metadata.labels.grafana_dashboard, metadata.annotations.grafana_folder]).toEqual(['1', 'Tideport'])
  })
})
