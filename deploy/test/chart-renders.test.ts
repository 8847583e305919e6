import { execFile } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { chart, exampleFile, examples, helms, target, useHelm } from './support/helm.ts'
import { type Manifest, named, ofKind } from './support/manifests.ts'

describe.each(helms)('the chart with %s', (name) => {
  const helm = useHelm(name)

  it.each(examples)('passes lint --strict with the values of %s', async (example) => {
    await helm.run(['lint', '--strict', ...target, chart, '-f', exampleFile(example)])
  })

  it.each(examples)('renders %s to objects that are named once', async (example) => {
    const names = (await helm.template(example)).map(named)
    expect(names.length).toBeGreaterThan(15)
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
  })

  // Else every sync of a GitOps controller rolls every pod.
  it.each(examples)('renders %s the same twice, passwords of dev apart', async (example) => {
    const render = async (values: object) => (await helm.template(example, values)).filter((item) => !isDevSecret(item))
    expect(await render({ unknown: 1 })).toEqual(await render({}))
  })

  it('is packed with its README and the examples that the README speaks of', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tideport-chart-'))
    const said = await helm.run(['package', '--destination', folder.path, chart])
    const archive = /saved it to: (.+)/.exec(said)?.[1] ?? ''
    expect(await helm.run(['show', 'readme', archive])).toContain('# ')
    const { stdout } = await promisify(execFile)('tar', ['--list', '--file', archive])
    for (const example of examples) expect(stdout).toContain(`tideport/ci/${example}-values.yaml\n`)
  })

  it('makes no Secret outside of dev', async () => {
    expect(examples).toContain('evaluation')
    for (const example of examples.filter((other) => other !== 'evaluation')) {
      expect(ofKind(await helm.template(example), 'Secret')).toEqual([])
    }
    expect(ofKind(await helm.template('evaluation'), 'Secret').map(named)).toEqual([
      'Secret acme-tideport-postgres',
      'Secret acme-tideport-s3',
    ])
  })

  it('needs no CRD until it is asked for one', async () => {
    const groups = new Set((await helm.template('production', withoutRoute)).map(({ apiVersion }) => apiVersion))
    expect([...groups].toSorted()).toEqual(['apps/v1', 'batch/v1', 'policy/v1', 'v1'])
  })

  it('installs nothing below Kubernetes 1.30', async () => {
    const args = ['template', 'acme', chart, '-f', exampleFile('production'), '--kube-version']
    await helm.run([...args, '1.30.0'])
    await expect(helm.run([...args, '1.29.14'])).rejects.toThrow(/requires kubeVersion: >=1.30/)
  })
})

const withoutRoute = { gateway: { httpRoute: { enabled: false } } }

const isDevSecret = ({ kind }: Manifest) => kind === 'Secret'

describe.runIf(helms.length > 1)('Helm 3 and Helm 4', () => {
  const [helm3, helm4] = [useHelm('helm3'), useHelm('helm4')]

  it.each(examples)('render %s to the same objects', async (example) => {
    const render = async (helm: typeof helm3) => (await helm.template(example)).filter((item) => !isDevSecret(item))
    const [three, four] = await Promise.all([render(helm3), render(helm4)])
    expect(byName(three)).toEqual(byName(four))
  })
})

const byName = (manifests: Manifest[]) => manifests.toSorted((a, b) => (named(a) < named(b) ? -1 : 1))
