import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { examples, useHelm } from './support/helm.ts'
import type { Manifest } from './support/manifests.ts'
import { tool } from './support/tool.ts'

const schemas = fileURLToPath(new URL('../schemas/kubernetes.json', import.meta.url))

/** Field names and types, by the schemas of a real API server and of the CRDs (deploy/schemas/make.ts). */
describe('kubeconform', () => {
  const helm = useHelm('helm4')
  let path = ''
  let missing = ''
  beforeAll(async () => {
    const got = await tool('kubeconform')
    if ('path' in got) path = got.path
    else missing = got.missing
  }, 900_000)
  beforeEach((context) => context.skip(missing !== '', missing))

  async function check(manifests: Manifest[]): Promise<string> {
    const running = promisify(execFile)(path, ['-strict', '-summary', '-schema-location', schemas])
    running.child.stdin?.end(manifests.map((manifest) => stringify(manifest)).join('---\n'))
    const { stdout } = await running.catch((error: { stdout: string }) => error)
    return stdout
  }

  it.each(examples)('finds no fault in %s', async (example) => {
    const manifests = await helm.template(example)
    expect(await check(manifests)).toContain(`Valid: ${manifests.length}, Invalid: 0, Errors: 0, Skipped: 0`)
  })

  it.each([
    ['Deployment', ['spec', 'template', 'spec', 'enableServiceLink']],
    ['NetworkPolicy', ['spec', 'egres']],
    ['ScaledObject', ['spec', 'fallback', 'replica']],
    ['PodMonitor', ['spec', 'podMetricsEndpoints', '0', 'ports']],
    ['HTTPRoute', ['spec', 'rules', '0', 'backendRef']],
  ])('finds a misspelt field of a %s', async (kind, steps) => {
    const manifest = (await helm.template('everything')).find((item) => item.kind === kind)
    const parent = steps.slice(0, -1).reduce((node, step) => node[step], manifest)
    parent[steps.at(-1) as string] = true
    expect(await check([manifest])).toContain(`additional properties '${steps.at(-1)}' not allowed`)
  })

  it('finds a fallback that KEDA does not know', async () => {
    const manifests = await helm.template('everything')
    const scaled = manifests.find(({ kind }) => kind === 'ScaledObject')
    scaled.spec.fallback.behavior = 'panic'
    expect(await check([scaled])).toContain('Invalid: 1')
  })
})
