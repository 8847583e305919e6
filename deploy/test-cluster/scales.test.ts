import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { networkConsumers } from '@tideport/contracts/internal/streams'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { chart, exampleFile, helms, useHelm } from '../test/support/helm.ts'
import { hasKind, inNamespace, kubectl, objects, useNamespace } from './support/cluster.ts'

const nats = process.env.TIDEPORT_TEST_NATS
const monitoring = process.env.TIDEPORT_TEST_NATS_MONITORING
const tideport = fileURLToPath(new URL('../image/tideport.ts', import.meta.url))

/** A real KEDA, and a real nats-server with the streams of the set-up. The pods need not work. */
describe.each(helms)('KEDA, by %s,', (name) => {
  const helm = useHelm(name)
  const namespace = useNamespace(`scale-${name}`)
  const run = inNamespace(helm, namespace)

  it('scales sync by waiting jobs, and nothing else', async (context) => {
    context.skip(!(await hasKind('scaledobjects.keda.sh')), 'The cluster has no KEDA.')
    context.skip(
      !nats || !monitoring,
      'Set TIDEPORT_TEST_NATS and TIDEPORT_TEST_NATS_MONITORING (host:port) to a NATS server.',
    )
    await promisify(execFile)(process.execPath, [tideport, 'operator', 'set-up', 'streams'], {
      env: { NATS_URL: nats as string },
    })
    await using connection = await openNats(nats as string)
    await connection.purge()

    const autoscaling = { mode: 'keda', min: 1, max: 6, lagPerReplica: 24, scaleDownSeconds: 0 }
    const values = {
      gateway: { httpRoute: { enabled: false } },
      migrations: { mode: 'external' },
      jetstream: { provision: { mode: 'external' } },
      nats: { monitoring: { endpoint: monitoring } },
      sync: { concurrency: 8, autoscaling },
    }
    // KEDA resolves the environment of the scaled pods, so their Secrets must exist.
    const secrets = { 'tideport-db-app': 'uri', 'tideport-s3': 'access-key-id', 'tideport-vault': 'access-key-id' }
    for (const [secret, key] of Object.entries(secrets)) {
      const literals = [key, 'secret-access-key'].map((one) => `--from-literal=${one}=any`)
      await kubectl('create', 'secret', 'generic', secret, '--namespace', namespace, ...literals)
    }
    await run(['install', 'acme', chart, '-f', exampleFile('production'), '-f', '-'], stringify(values))
    const replicas = async () =>
      Object.fromEntries(
        (await objects(namespace, 'deployments')).map(({ metadata, spec }) => [metadata.name, spec.replicas]),
      )
    const before = await replicas()
    expect(before['acme-tideport-sync']).toBe(1)

    await connection.publish(144)
    await expect.poll(replicas, { timeout: 240_000, interval: 1000 }).toEqual({ ...before, 'acme-tideport-sync': 6 })
    await connection.purge()
    await expect
      .poll(async () => (await replicas())['acme-tideport-sync'], { timeout: 240_000, interval: 1000 })
      .toBeLessThan(6)
    await run(['uninstall', 'acme'])
  })
})

async function openNats(servers: string) {
  const connection = await connect({ servers })
  const { stream, filterSubject } = networkConsumers('embedded').store
  return {
    async publish(count: number) {
      const client = jetstream(connection)
      for (let number = 0; number < count; number++) await client.publish(filterSubject.replace('*', String(number)))
    },
    purge: async () => void (await (await jetstreamManager(connection)).streams.purge(stream)),
    [Symbol.asyncDispose]: () => connection.close(),
  }
}
