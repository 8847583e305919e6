import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll } from 'vitest'
import type { Helm } from '../../test/support/helm.ts'
import type { Manifest } from '../../test/support/manifests.ts'

const given = process.env.KUBECONFIG
if (!given)
  throw new Error('KUBECONFIG names no cluster. It is one for tests: they make and remove namespaces of their own')
export const kubeconfig: string = given

/** The image that the cluster can run; without one only what the API server says is tested. */
export const image = process.env.TIDEPORT_TEST_IMAGE

export async function kubectl(...args: string[]): Promise<string> {
  return (await promisify(execFile)('kubectl', args, { maxBuffer: 2 ** 26 })).stdout
}

/** A namespace that lets restricted pods in and no others, removed at the end. */
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
