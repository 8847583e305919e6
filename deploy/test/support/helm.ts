import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bareEnvironment, hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { isFullRun } from '@tideport/testing/full-run'
import { beforeAll, beforeEach, inject } from 'vitest'
import { stringify } from 'yaml'
import { type Manifest, parseManifests } from './manifests.ts'
import { type ToolName, tool } from './tool.ts'

export const chart = fileURLToPath(new URL('../../helm/tideport', import.meta.url))

/** The example values of the chart. Each must be a valid installation. `everything` uses what the others use. */
export const examples = isFullRun
  ? readdirSync(join(chart, 'ci')).map((file) => file.replace('-values.yaml', ''))
  : ['evaluation', 'everything', 'production']

export const exampleFile = (name: string) => join(chart, 'ci', `${name}-values.yaml`)

/** Isolates the tests from the user's own Helm configuration. */
const home = mkdtempSync(join(tmpdir(), 'tideport-helm-'))
const environment = {
  ...bareEnvironment(hostEnvironment()),
  HELM_CACHE_HOME: home,
  HELM_CONFIG_HOME: home,
  HELM_DATA_HOME: home,
  GOGC: '400', // Helm exits soon, and garbage collection would be a fifth of its cost.
}

/** Rendered manifests of all tests in this process, by their inputs. */
const rendered = new Map<string, Promise<Manifest[]>>()

export type Helm = {
  /** Runs Helm and returns its output. Throws with the output if it fails. */
  run(args: readonly string[], options?: { input?: string; kubeconfig?: string }): Promise<string>
  /** `helm template` of the chart, or of a changed copy, with an example's values and, over them, more. */
  template(example: string, values?: object, copy?: string): Promise<Manifest[]>
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The tested versions of Helm. */
    helms?: readonly ('helm3' | 'helm4')[]
  }
}

/** `npm run test:full` tests both. Building one takes two minutes if it is not installed. */
export const helms = inject('helms') ?? (['helm4'] as const)

/** A version of Helm for the tests of a suite. Without it, the tests are skipped with a message. */
export function useHelm(name: ToolName): Helm {
  let path = ''
  let missing = ''
  beforeAll(async () => {
    const got = await tool(name)
    if ('path' in got) path = got.path
    else missing = got.missing
  }, 900_000)
  beforeEach((context) => context.skip(missing !== '', missing))

  const run: Helm['run'] = async (args, { input = '', kubeconfig = '/dev/null' } = {}) => {
    const running = promisify(execFile)(path, args, {
      env: { ...environment, KUBECONFIG: kubeconfig },
      maxBuffer: 2 ** 26,
    })
    running.child.stdin?.on('error', () => {}).end(input) // Helm may exit without reading its input.
    return (await running).stdout
  }
  return {
    run,
    async template(example, values = {}, copy = chart) {
      const input = stringify(values)
      const key = `${name} ${example} ${copy} ${input}`
      const files = ['-f', exampleFile(example), '-f', '-']
      const args = ['template', 'acme', copy, '--namespace', 'storage', ...target, ...files]
      const manifests = rendered.get(key) ?? run(args, { input }).then(parseManifests)
      rendered.set(key, manifests)
      return structuredClone(await manifests)
    },
  }
}

/** Commands without an API server need the Kubernetes version: a Helm built from source assumes 1.20. */
export const target = ['--kube-version', '1.34.0']
