import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { useHelm } from '../test/support/helm.ts'
import { image, useNamespace } from './support/cluster.ts'
import { client, evaluation, load } from './support/evaluation.ts'

const helm = useHelm('helm4')
const namespace = useNamespace('credentials')
const { kube, apply, inToolbox, program, restart, ...release } = evaluation(helm, namespace)
const services = ['gateway', 'auth', 'files', 'sync', 'eviction', 'webhooks']
const [two, noLimit] = [{ replicas: 2 }, { RATE_LIMIT_PER_SECOND: 0, RATE_LIMIT_ANONYMOUS_PER_SECOND: 0 }]
const address = (user: string) => `nats://${user}:word@broker:4222`
const secret = (name: string, stringData: object) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
})
const patch = (name: string, stringData: object) =>
  kube('patch', 'secret', name, '--type=merge', '-p', JSON.stringify({ stringData }))

/** A store with users, a broker with two users, and Secrets with credentials of both, a CA, and headers. */
const values = {
  settings: { ...noLimit, HOT_RETENTION_SECONDS: 3600 },
  ...{ gateway: two, auth: two, files: two, webhooks: two, toolbox: { replicas: 1 } },
  nats: { existingSecret: 'broker', urlKey: 'url' },
  jetstream: { provision: { mode: 'job' }, replicas: 1 },
  dev: { nats: { enabled: false } },
  tls: { caSecret: 'authority' },
  otel: { enabled: true, endpoint: 'http://collector:4318', existingSecret: 'collector' },
  merge: {
    'StatefulSet/s3': {
      spec: {
        template: {
          spec: {
            containers: [
              {
                name: 'versitygw',
                args: [
                  '--port=127.0.0.1:9001',
                  '--region=us-east-1',
                  '--quiet',
                  '--keep-alive',
                  '--health=/health',
                ].concat('--iam-dir=/tmp', 'posix', '--sidecar=/data/metadata', '/data/objects'),
              },
            ],
          },
        },
      },
    },
  },
}

const broker = [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'broker' },
    spec: {
      selector: { app: 'broker' },
      ports: [
        { name: 'nats', port: 4222 },
        { name: 'monitor', port: 8222 },
      ],
    },
  },
  secret('broker-users', {
    'nats.conf':
      'http: 8222\njetstream { store_dir: /tmp }\nauthorization { users: [{user: one, password: word}, {user: two, password: word}] }',
  }),
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'broker', labels: { app: 'broker' } },
    spec: {
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'nats',
          image: process.env.NATS_IMAGE ?? 'nats:2.14.3-alpine',
          args: ['nats-server', '--config=/users/nats.conf'],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          volumeMounts: [
            { name: 'users', mountPath: '/users' },
            { name: 'tmp', mountPath: '/tmp' },
          ],
        },
      ],
      volumes: [
        { name: 'users', secret: { secretName: 'broker-users' } },
        { name: 'tmp', emptyDir: {} },
      ],
    },
  },
]

/** docs/operate/rotate-secrets.md: S3 keys, NATS users, the CA, and the headers for the trace collector. */
it('S3 keys, NATS users, the CA, and headers are replaced under load without failed requests', async (context) => {
  context.skip(image === undefined, 'Set TIDEPORT_TEST_IMAGE to an image that the cluster can run.')
  const { rootCertificates } = await import('node:tls')
  const [oldAuthority, newAuthority] = rootCertificates as [string, string]
  const made = [
    secret('broker', { url: address('one') }),
    secret('authority', { 'ca.crt': oldAuthority }),
    secret('collector', { headers: 'a=1' }),
    ...broker,
  ]
  await apply({ apiVersion: 'v1', kind: 'List', items: made })
  await release.install(values)
  const running = program(load)

  const key = { 'access-key-id': 'second', 'secret-access-key': randomBytes(16).toString('hex') }
  const user = `--access=${key['access-key-id']} --secret=${key['secret-access-key']} --role=admin`
  const admin =
    'versitygw admin --access="$ROOT_ACCESS_KEY" --secret="$ROOT_SECRET_KEY" --endpoint-url=http://127.0.0.1:9001'
  await kube('exec', 'tideport-s3-0', '-c', 'versitygw', '--', 'sh', '-c', `${admin} create-user ${user}`)
  await patch('tideport-s3', key)
  await restart('files', 'sync', 'eviction')
  await patch('broker', { url: address('two') })
  await restart('auth', 'files', 'sync', 'eviction', 'webhooks')
  for (const file of [`${oldAuthority}\n${newAuthority}\n`, newAuthority]) {
    await patch('authority', { 'ca.crt': file })
    await restart(...services)
  }
  await patch('collector', { headers: 'a=2' })
  await restart(...services)

  await inToolbox('touch', '/tmp/stop')
  const { asked, faults } = JSON.parse(await running)
  console.log(`${asked} requests while credentials were replaced`)
  expect(faults).toEqual([])
  expect(asked).toBeGreaterThan(1000)
  await program(`${client} await upload('after')`)
  const users = `const { connections } = await (await fetch('http://broker:8222/connz?auth=true')).json()
console.log(JSON.stringify([...new Set(connections.map((one) => one.authorized_user))]))`
  expect(JSON.parse(await program(users))).toEqual(['two'])
  await release.uninstall()
})
