import { expect, it } from 'vitest'
import { useHelm } from '../test/support/helm.ts'
import { hasKind, image, useNamespace } from './support/cluster.ts'
import { client, evaluation } from './support/evaluation.ts'

const helm = useHelm('helm4')
const namespace = useNamespace('restore')
const services = ['gateway', 'auth', 'files', 'sync', 'eviction', 'webhooks']

/** docs/operate/back-up.md, "Restore Postgres on Kubernetes", with the Postgres of dev.postgres. */
it('Postgres is restored to an earlier time with the commands of the page', async (context) => {
  context.skip(image === undefined, 'Set TIDEPORT_TEST_IMAGE to an image that the cluster can run.')
  const { kube, inToolbox, program, ...release } = evaluation(helm, namespace)
  const inPostgres = (command: string) =>
    kube('exec', 'tideport-postgres-0', '-c', 'postgres', '--', 'sh', '-c', command)
  const upload = (name: string) => program(`${client} console.log(await upload(${JSON.stringify(name)}))`)
  const statusOf = (id: string) =>
    program(`console.log((await fetch('http://tideport-gateway/api/public/files/${id.trim()}')).status)`)
  const hasKeda = await hasKind('scaledobjects.keda.sh')
  await release.install(hasKeda ? { sync: { autoscaling: { mode: 'keda' } } } : {})
  const annotate = (annotation: string) =>
    kube('annotate', 'scaledobject', '-l', 'app.kubernetes.io/instance=tideport', annotation, '--overwrite')
  await release.startToolbox()
  const before = await upload('before')
  await inPostgres('pg_dump -U tideport -Fc tideport > /tmp/dump')
  const after = await upload('after')

  if (hasKeda) await annotate('autoscaling.keda.sh/paused-replicas=0')
  await kube('scale', '--replicas=0', ...services.map((name) => `deploy/tideport-${name}`))
  const selector = `app.kubernetes.io/instance=tideport,app.kubernetes.io/component in (${services.join(',')})`
  await kube('wait', '--for=delete', 'pod', '--timeout=15m', '-l', selector)
  await kube('scale', 'deploy/tideport-toolbox', '--replicas=0')
  await inPostgres("psql -U tideport postgres -c 'drop database tideport with (force)' -c 'create database tideport'")
  await inPostgres('pg_restore -U tideport -d tideport /tmp/dump')

  await release.startToolbox()
  await inToolbox('tideport', 'operator', 'reconcile', '--fix')
  const orphans = await inToolbox('tideport', 'operator', 'orphans', '--older-than', '0s', '--json')
  expect(orphans).toContain(after.trim())
  expect(orphans).not.toContain(before.trim())

  await kube('scale', '--replicas=1', ...services.map((name) => `deploy/tideport-${name}`))
  for (const name of services) await kube('rollout', 'status', `deploy/tideport-${name}`, '--timeout=10m')
  if (hasKeda) await annotate('autoscaling.keda.sh/paused-replicas-')
  expect((await statusOf(before)).trim()).toBe('200')
  expect((await statusOf(after)).trim()).toBe('404')
  await inToolbox('tideport', 'operator', 'verify', '--sample', '1000')
  await inToolbox('tideport', 'operator', 'reconcile')
  await release.uninstall()

  // The next installation of the name uses the remaining objects again.
  await release.install()
  await release.startToolbox()
  expect((await statusOf(before)).trim()).toBe('200')
  await release.uninstall()
})
