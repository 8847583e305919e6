import { randomBytes } from 'node:crypto'
import { parseEnv } from 'node:util'
import { expect, it } from 'vitest'
import { useHelm } from '../test/support/helm.ts'
import { image, useNamespace } from './support/cluster.ts'
import { evaluation, load } from './support/evaluation.ts'

const helm = useHelm('helm4')
const namespace = useNamespace('rotate')

/** docs/operate/rotate-secrets.md: the three sets of keys and the password of Postgres. */
it('keys and passwords are replaced under load with the commands of the page, without failed requests', async (context) => {
  context.skip(image === undefined, 'Set TIDEPORT_TEST_IMAGE to an image that the cluster can run.')
  const { kube, inToolbox, program, restart, ...release } = evaluation(helm, namespace)
  const two = { replicas: 2 }
  const settings = {
    RATE_LIMIT_PER_SECOND: 0,
    RATE_LIMIT_BURST: 0,
    RATE_LIMIT_ANONYMOUS_PER_SECOND: 0,
    RATE_LIMIT_ANONYMOUS_BURST: 0,
  }
  await release.install({ settings, gateway: two, auth: two, files: two, webhooks: two })
  await release.startToolbox()
  const patch = (secret: string, stringData: object) =>
    kube('patch', 'secret', secret, '--type=merge', '-p', JSON.stringify({ stringData }))
  const read = async (secret: string, key: string) => {
    const { data } = JSON.parse(await kube('get', 'secret', secret, '-o', 'json'))
    return Buffer.from(data[key], 'base64').toString()
  }
  const running = program(load)

  const next = parseEnv(await inToolbox('tideport', 'operator', 'make-secrets', '--format', 'env'))
  const [newKey] = JSON.parse(next.IDENTITY_TOKEN_PUBLIC_KEYS as string).keys
  const { keys: oldKeys } = JSON.parse(await read('tideport-keys', 'identity-token-public-keys'))
  const publicKeys = (keys: unknown[]) =>
    patch('tideport-keys', { 'identity-token-public-keys': JSON.stringify({ keys }) })
  await publicKeys([...oldKeys, newKey])
  await restart('auth', 'files', 'webhooks')
  await patch('tideport-keys', { 'identity-token-private-key': next.IDENTITY_TOKEN_PRIVATE_KEY })
  await restart('gateway')
  await publicKeys([newKey])
  await restart('auth', 'files', 'webhooks')

  for (const [key, reader] of [
    ['download-token-keys', 'files'],
    ['webhook-secret-keys', 'webhooks'],
    ['s3-api-secret-keys', 'auth'],
  ] as const) {
    const [old, fresh] = [await read('tideport-keys', key), randomBytes(32).toString('base64')]
    for (const keys of [`${old},${fresh}`, `${fresh},${old}`, fresh]) {
      if (keys === fresh && reader === 'webhooks') {
        await kube('exec', 'deploy/tideport-webhooks', '--', 'tideport', 'operator', 're-encrypt-webhook-secrets')
      }
      await patch('tideport-keys', { [key]: keys })
      await restart(reader)
    }
  }

  const password = randomBytes(16).toString('hex')
  const make = `create role tideport_2 login password '${password}' in role tideport`
  const psql = ['exec', 'tideport-postgres-0', '-c', 'postgres', '--', 'psql', '-U', 'tideport']
  await kube(...psql, '-c', make, '-c', 'alter role tideport_2 set role = tideport')
  const uri = await read('tideport-postgres', 'uri')
  await patch('tideport-postgres', { uri: uri.replace(/\/\/.*@/, `//tideport_2:${password}@`) })
  await restart('auth', 'files', 'sync', 'eviction', 'webhooks')

  await inToolbox('touch', '/tmp/stop')
  const { asked, faults } = JSON.parse(await running)
  console.log(`${asked} requests while secrets were replaced`)
  expect(faults).toEqual([])
  expect(asked).toBeGreaterThan(1000)
})
