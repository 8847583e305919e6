import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { chart, exampleFile, helms, useHelm } from '../test/support/helm.ts'
import { image, inNamespace, kubectl, objects, useNamespace } from './support/cluster.ts'

/** The example `evaluation`, running: its hooks, Jobs, probes, and a file through all states. */
describe.each(helms)('the evaluation, by %s,', (name) => {
  const helm = useHelm(name)
  const namespace = useNamespace(`run-${name}`)
  const run = inNamespace(helm, namespace)

  it('starts and passes `helm test`, also after an upgrade', async (context) => {
    context.skip(image === undefined, 'Set TIDEPORT_TEST_IMAGE to an image that the cluster can run.')
    const [repository, tag] = (image as string).split(/:(?=[^:]*$)/)
    const keys = process.env.TIDEPORT_TEST_KEYS // `operator make-secrets --format kubernetes`
    if (keys) await kubectl('apply', '-n', namespace, '-f', keys)
    const values = { image: { repository, tag, pullPolicy: 'IfNotPresent' }, keys: { existingSecret: 'tideport-keys' } }
    const up = (more: object) =>
      run(
        ['upgrade', '--install', 'acme', chart, '-f', exampleFile('evaluation'), '-f', '-', '--wait', '--timeout=10m'],
        stringify({ ...values, ...more }),
      )
    await up({})
    await run(['test', 'acme', '--timeout=10m'])
    const passwords = async () =>
      (await objects(namespace, 'secrets'))
        .filter(({ metadata }) => /^acme-tideport-(postgres|s3)$/.test(metadata.name))
        .map(({ data }) => data)
    const before = await passwords()
    await up({ config: { logLevel: 'debug' } })
    // The chart must keep the passwords that it created, or nothing could log in.
    expect(await passwords()).toEqual(before)
    await run(['test', 'acme', '--timeout=10m'])
    await run(['uninstall', 'acme'])
  })
})
