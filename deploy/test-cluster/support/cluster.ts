import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll } from 'vitest'
import type { Helm } from '../../test/support/helm.ts'
import type { Manifest } from '../../test/support/manifests.ts'

const given = process.env.KUBECONFIG
if (!given) throw new Error('Set KUBECONFIG to a test cluster. The tests create and delete their own namespaces in it.')
export const kubeconfig: string = given

/** An image that the cluster can run. Without it, only responses of the API server are tested. */
export const image = process.env.TIDEPORT_TEST_IMAGE

export async function kubectl(...args: string[]): Promise<string> {
  return (await promisify(execFile)('kubectl', args, { maxBuffer: 2 ** 26 })).stdout
}

/** A namespace that admits only restricted pods. It is deleted after the tests. */
export function useNamespace(name: string): string {
  const namespace = `tideport-test-${name}-${process.pid}`
  beforeAll(async () => {
    const profile = (mode: string) => `pod-security.kubernetes.io/${mode}=restricted`
    await kubectl('create', 'namespace', namespace)
    await kubectl('label', 'namespace', namespace, profile('enforce'), profile('warn'))
  })
  afterAll(() => kubectl('delete', 'namespace', namespace, '--wait=false'))
  return namespace
}

export async function objects(namespace: string, kind: string): Promise<Manifest[]> {
  return JSON.parse(await kubectl('get', kind, '--namespace', namespace, '--output', 'json')).items
}

export async function hasKind(crd: string): Promise<boolean> {
  return (await kubectl('get', 'crd', crd, '--ignore-not-found', '--output', 'name')).trim() !== ''
}

export const inNamespace = (helm: Helm, namespace: string) => (args: readonly string[], input?: string) =>
  helm.run([...args, '--namespace', namespace], { kubeconfig, ...(input === undefined ? {} : { input }) })
