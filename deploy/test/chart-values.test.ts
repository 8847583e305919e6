import { describe, expect, it } from 'vitest'
import { helms, useHelm } from './support/helm.ts'
import { theOne } from './support/manifests.ts'
import { renderedCases, schemaFaults } from './support/many-charts.ts'

const keda = { mode: 'keda' }
const walrus = { publishers: ['http://publisher'], aggregators: ['http://aggregator'] }

type Refused = [fault: string, values: object, message: RegExp]

/** What the schema is there to refuse, over the values of `production`: of each kind of rule one. */
const refusedBySchema: Refused[] = [
  ['no address for clients', { config: { publicUrl: '' } }, /config\/publicUrl/],
  ['development mode that nobody allowed', { config: { serviceEnv: 'development' } }, /allowInsecureAuth/],
  ['no keys', { keys: { existingSecret: '' } }, /keys\/existingSecret/],
  [
    'roles for some owners only',
    { postgres: { existingSecret: '', roles: { auth: { existingSecret: 'a' }, files: { existingSecret: 'f' } } } },
    /roles\/webhooks\/existingSecret/,
  ],
  ['an address of NATS in HTTP', { nats: { url: 'http://nats:4222' } }, /nats\/url/],
  ['credentials of NATS without their Secret', { nats: { credsKey: 'nats.creds' } }, /nats\/existingSecret/],
  ['an issuer without an audience', { identity: { audience: '' } }, /identity\/audience/],
  ['one copy that nobody accepted', { storage: { networks: [{ name: 'a' }] } }, /storage\/embedded\/acceptSingleCopy/],
  ['a network elsewhere by its driver alone', { storage: { network: 'walrus' } }, /storage\/network/],
  ['a driver that there is not', { storage: { networks: [{ name: 'a', driver: 'tape' }] } }, /storage\/networks/],
  ['a misspelt key of a network', { storage: { networks: [{ name: 'a', claim: 'b' }] } }, /storage\/networks/],
  [
    'a bucket without its keys',
    { storage: { networks: [{ name: 'a', driver: 's3', s3: { bucket: 'cold' } }] } },
    /storage\/networks/,
  ],
  [
    'a node without an address',
    { storage: { networks: [{ name: 'a', driver: 'ipfs', ipfs: { rpcUrls: [] } }] } },
    /storage\/networks/,
  ],
  [
    'a Walrus that nobody reads',
    { storage: { networks: [{ name: 'a', driver: 'walrus', walrus: { publishers: walrus.publishers } }] } },
    /storage\/networks/,
  ],
  ['a Walrus beside another driver', { storage: { networks: [{ name: 'a', walrus }] } }, /storage\/networks/],
  [
    'a secret of tokens that is not in a Secret',
    { storage: { networks: [{ name: 'a', driver: 'walrus', walrus: { ...walrus, jwtSecret: 'word' } }] } },
    /storage\/networks/,
  ],
  ['tracing to nowhere', { otel: { enabled: true } }, /otel\/endpoint/],
  ['a ServiceAccount without a name', { serviceAccount: { create: false } }, /serviceAccount\/name/],
  ['an Ingress without hosts', { gateway: { ingress: { enabled: true } } }, /ingress\/hosts/],
  ['a route without a parent', { gateway: { httpRoute: { parentRefs: [] } } }, /httpRoute\/parentRefs/],
  [
    'a network policy that keeps Prometheus out',
    { networkPolicy: { enabled: true }, metrics: { podMonitor: { enabled: true } } },
    /networkPolicy\/metricsFrom/,
  ],
  ['a misspelt key', { gateway: { replica: 3 } }, /replica/],
  ['workers scaled to none', { sync: { autoscaling: { ...keda, min: 0 } } }, /sync\/autoscaling\/min/],
  [
    'KEDA with nobody to ask',
    { nats: { monitoring: { endpoint: '' } }, sync: { autoscaling: keda } },
    /nats\/monitoring\/endpoint/,
  ],
  [
    'a monitoring endpoint with a scheme',
    { nats: { monitoring: { endpoint: 'http://nats:8222' } }, webhooks: { autoscaling: keda } },
    /nats\/monitoring\/endpoint/,
  ],
  [
    'KEDA without its Prometheus',
    { sync: { autoscaling: { ...keda, trigger: 'prometheus' } } },
    /sync\/autoscaling.*prometheus/,
  ],
  ['less time to stop than answers need', { gateway: { drainSeconds: 5 } }, /gateway\/drainSeconds/],
  ['an address of S3 without a scheme', { s3: { endpoint: 's3.example.org' } }, /s3\/endpoint.*\n.*pattern/],
  ['an algorithm that signs nothing', { identity: { algorithms: ['none'] } }, /identity\/algorithms/],
  ['a network that is too wide', { config: { trustedProxies: ['10.0.0.0/33'] } }, /config\/trustedProxies.*pattern/],
  [
    'a duration with a unit',
    { settings: { HOT_RETENTION_SECONDS: '2d' } },
    /HOT_RETENTION_SECONDS.*got string, want integer/,
  ],
  ['a word for a switch', { settings: { EVICTION_DRY_RUN: 'sometimes' } }, /EVICTION_DRY_RUN.*want boolean/],
  ['a network by its address alone', { settings: { WEBHOOK_ALLOW_CIDRS: ['10.0.0.5'] } }, /WEBHOOK_ALLOW_CIDRS/],
  ['a DNS server at no port', { settings: { WEBHOOK_DNS_SERVERS: '10.0.0.2:99999' } }, /WEBHOOK_DNS_SERVERS/],
  ['a share above one', { otel: { ratio: '1.5' } }, /otel\/ratio.*pattern/],
  [
    'a name that no Secret can have',
    { keys: { existingSecret: '' }, s3: { existingSecret: 'My_Secret' } },
    /s3\/existingSecret/,
  ],
  ['an address of ours with a login', { config: { publicUrl: 'https://me:word@files.example.org' } }, /publicUrl/],
  ['a port that there is not', { nats: { url: 'nats://nats:4222,nats://other:99999' } }, /nats\/url/],
  ['an origin that no browser sends', { config: { corsOrigins: ['https://app.example.org/'] } }, /corsOrigins/],
  ['an authority at no key of its Secret', { tls: { caSecret: 'ca', caKey: '' } }, /tls\/caKey/],
  ['an image with a scheme', { image: { repository: 'https://ghcr.io/x/tideport' } }, /image\/repository/],
  ['memory in words', { defaults: { resources: { limits: { memory: '512 MB' } } } }, /resources\/limits\/memory/],
  ['more than all as a share', { metrics: { rules: { thresholds: { networkRoomRatio: 10 } } } }, /networkRoomRatio/],
  ['a number as a variable', { defaults: { extraEnv: [{ name: 'A', value: 1 }] } }, /defaults\/extraEnv/],
  ['a port of nodes of a Service without one', { gateway: { service: { nodePort: 30080 } } }, /gateway\/service\/type/],
  ['a size without a number', { dev: { postgres: { size: 'large' } } }, /dev\/postgres\/size/],
]

/** The same for validations.yaml, which says its first fault alone. */
const refusedByTemplates: Refused[] = [
  [
    'answers about keys that are used for longer than revocations wait',
    { settings: { KEY_ANSWER_SECONDS: 1.5 } },
    /KEY_ANSWER_SECONDS \(1.5\) is above REVOCATION_WAIT_SECONDS \(1\)/,
  ],
  ['a network twice', { storage: { networks: [{ name: 'a' }, { name: 'a' }] } }, /a is named twice/],
  [
    'networks that are all being left',
    { storage: { embedded: { acceptSingleCopy: true }, networks: [{ name: 'a', role: 'leaving' }] } },
    /one network at least has to be required/,
  ],
  [
    'one copy that nobody accepted, beside what is being left',
    {
      storage: { embedded: { acceptSingleCopy: false }, networks: [{ name: 'a' }, { name: 'b', role: 'leaving' }] },
    },
    /one required network is one copy/,
  ],
  [
    'copies on Walrus that would always be due',
    {
      storage: { networks: [{ name: 'a', driver: 'walrus', walrus: { ...walrus, epochs: 30, epochSeconds: 86400 } }] },
    },
    /of a, walrus.epochs less one .* below 30 days/,
  ],
  ['a threshold that no rule has', { metrics: { rules: { thresholds: { lags: 3 } } } }, /thresholds.lags: no rule/],
  ['a network that there is not', { sync: { settings: { SYNC_NETWORKS: 'disk,b' } } }, /there is no network b/],
  ['an object to merge that has no kind', { merge: { gateway: { spec: {} } } }, /merge: there is no gateway/],
  [
    'less lag for a pod than it works on',
    { sync: { autoscaling: { ...keda, lagPerReplica: 7 } } },
    /lagPerReplica \(7\)/,
  ],
  ['more workers than jobs may be under way', { sync: { autoscaling: { ...keda, max: 126 } } }, /inFlightMax/],
  ['a minimum above the maximum', { sync: { autoscaling: { ...keda, min: 21 } } }, /min is above max/],
  [
    'the CPU measured against nothing',
    { gateway: { autoscaling: { mode: 'hpa' }, resources: { requests: null } } },
    /gateway.autoscaling: the CPU/,
  ],
  ['a setting that no service has', { settings: { HOT_RETENTION: 60 } }, /settings.HOT_RETENTION: no service/],
  ['a setting of another service', { auth: { settings: { STREAMS_MAX: 1 } } }, /auth has no such setting/],
  ['replicas where other charts have them', { replicaCount: 3 }, /no value replicaCount: it is <component>.replicas/],
]

/** What neither refuses. */
const taken: [what: string, values: object][] = [
  ['what a chart around this one has', { global: { anything: { at: 'all' } }, otherChart: { enabled: true } }],
  ['addresses of IPv6', { config: { trustedProxies: ['fd00::/8', '2001:db8::1'], publicUrl: 'http://[2001:db8::1]' } }],
  ['servers of NATS by TLS', { nats: { url: 'tls://a:4222, tls://[fd00::1]:4222' } }],
  ['origins with ports', { config: { corsOrigins: ['http://localhost:3000', 'http://[::1]:3000'] } }],
  ['shares as text', { otel: { ratio: '0.25' } }],
  ['quantities of all kinds', { defaults: { resources: { requests: { cpu: 0.5 }, limits: { memory: 1073741824 } } } }],
  ['Secrets for images by their names', { global: { imagePullSecrets: ['one', { name: 'two' }] } }],
  ['an interval of two units', { metrics: { podMonitor: { enabled: true, interval: '1m30s' } } }],
  ['one network, which is on Walrus', { storage: { networks: [{ name: 'a', driver: 'walrus', walrus }] } }],
  ['a share of the pods', { defaults: { pdb: { maxUnavailable: '50%' } } }],
]

describe.each(helms)('values with %s', (name) => {
  const helm = useHelm(name)

  let faults: Promise<Map<string, string>> | undefined
  it.each(refusedBySchema)('that have %s are refused', async (fault, _values, message) => {
    faults ??= schemaFaults(helm, 'production', refusedBySchema)
    expect((await faults).get(fault)).toMatch(message)
  })

  it.each(refusedByTemplates)('that have %s are refused', async (_fault, values, message) => {
    await expect(helm.template('production', values)).rejects.toThrow(message)
  })

  let rendered: Promise<string[]> | undefined
  it.each(taken)('that have %s are let through', async (what) => {
    rendered ??= renderedCases(helm, 'production', taken)
    expect(await rendered).toContain(what)
  })

  it('keep numbers of any size', async () => {
    const manifests = await helm.template('production')
    const [{ env }] = theOne(manifests, 'Deployment', '-files').spec.template.spec.containers
    expect(env).toContainEqual({ name: 'MAX_FILE_BYTES', value: '53687091200' })
    const [webhooks] = theOne(manifests, 'Deployment', '-webhooks').spec.template.spec.containers
    expect(webhooks.env).toContainEqual({ name: 'WEBHOOK_RETRY_SCALE', value: '0.5' })
  })

  it('of a component win over those of all, key by key and also where they are zero or false', async () => {
    const manifests = await helm.template('production', {
      defaults: { preStopSeconds: 9 },
      sync: { pdb: { enabled: false }, securityContext: { readOnlyRootFilesystem: false } },
    })
    const [sync] = theOne(manifests, 'Deployment', '-sync').spec.template.spec.containers
    expect(sync.lifecycle).toBeUndefined()
    expect(sync.securityContext).toMatchObject({ readOnlyRootFilesystem: false, allowPrivilegeEscalation: false })
    expect(manifests.some((item) => item.kind === 'PodDisruptionBudget' && /-sync$/.test(item.metadata.name))).toBe(
      false,
    )
  })
})
