import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { chart, exampleFile, useHelm } from '../test/support/helm.ts'
import { type Manifest, ofKind, parseManifests, servicesOf, theOne } from '../test/support/manifests.ts'
import { inNamespace, useNamespace } from './support/cluster.ts'
import { evaluation } from './support/evaluation.ts'

const helm = useHelm('helm4')
const namespace = useNamespace('lookups')
const { apply } = evaluation(helm, namespace)
/** With the labels and annotations that Helm sets for this release. */
const put = (name: string, stringData: object) => {
  const annotations = { 'meta.helm.sh/release-name': 'tideport', 'meta.helm.sh/release-namespace': namespace }
  const metadata = { name, annotations, labels: { 'app.kubernetes.io/managed-by': 'Helm' } }
  return apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData })
}

/** The objects that an installation of the example would render with the current Secrets of the cluster. */
async function rendered(example: string, values: object): Promise<Manifest[]> {
  const files = ['-f', exampleFile(example), '-f', '-']
  const args = ['template', 'tideport', chart, '--dry-run=server', ...files]
  return parseManifests(await inNamespace(helm, namespace)(args, stringify(values)))
}

it('secretChecksums changes only the pods that read a changed key of a Secret', async () => {
  const checksums = async () => {
    const pods = servicesOf(
      await rendered('production', { secretChecksums: true, gateway: { httpRoute: { enabled: false } } }),
    )
    return new Map(
      pods.map(({ owner }) => [owner.metadata.name, owner.spec.template.metadata.annotations?.['checksum/secrets']]),
    )
  }
  const changed = async (change: () => Promise<unknown>) => {
    const before = await checksums()
    await change()
    const after = await checksums()
    return [...after.keys()].filter((name) => after.get(name) !== before.get(name))
  }
  const names = (...components: string[]) => components.map((name) => `tideport-${name}`)
  const keys = { 'download-token-keys': 'a', 'identity-token-public-keys': 'b', 'identity-token-private-key': 'c' }
  await put('tideport-keys', keys)
  await put('tideport-s3', { 'access-key-id': 'a', 'secret-access-key': 'b' })
  expect(await changed(async () => {})).toEqual([])
  expect(await changed(() => put('tideport-keys', { ...keys, 'download-token-keys': 'd' }))).toEqual(names('files'))
  const s3 = () => put('tideport-s3', { 'access-key-id': 'c', 'secret-access-key': 'd' })
  expect(await changed(s3)).toEqual(names('eviction', 'files', 'sync'))
  expect(await changed(() => put('tideport-db-app', { uri: 'a' }))).toEqual(
    names('auth', 'eviction', 'files', 'sync', 'webhooks'),
  )
})

it('Secrets of dev keep later changes, so that an upgrade undoes no rotation', async () => {
  const held = { password: 'a', uri: 'postgres://second:b@tideport-postgres:5432/tideport' }
  const store = { 'access-key-id': 'second', 'secret-access-key': 'c' }
  await put('tideport-postgres', held)
  await put('tideport-s3', store)
  const secrets = ofKind(await rendered('evaluation', {}), 'Secret')
  expect(theOne(secrets, 'Secret', '-postgres').stringData).toEqual(held)
  expect(theOne(secrets, 'Secret', '-s3').stringData).toEqual(store)
})
