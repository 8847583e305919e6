import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { stringify } from 'yaml'
import { chart, exampleFile, type Helm } from '../../test/support/helm.ts'
import { image, inNamespace, kubectl } from './cluster.ts'

/** The example `evaluation` as release `tideport`, as in the documentation, reached only from inside the cluster. */
export function evaluation(helm: Helm, namespace: string) {
  const run = inNamespace(helm, namespace)
  const kube = (...args: string[]) => kubectl('-n', namespace, ...args)
  const withInput = async (args: string[], input: string) => {
    const running = promisify(execFile)('kubectl', ['-n', namespace, ...args], { maxBuffer: 2 ** 26 })
    running.child.stdin?.end(input)
    return (await running).stdout
  }
  return {
    kube,
    apply: (object: object) => withInput(['apply', '-f', '-'], JSON.stringify(object)),
    async install(more: { [name: string]: object; dev?: object } = {}) {
      const [repository, tag] = (image as string).split(/:(?=[^:]*$)/)
      const keys = process.env.TIDEPORT_TEST_KEYS // `operator make-secrets --format kubernetes`
      if (keys) await kube('apply', '-f', keys)
      const values = {
        image: { repository, tag, pullPolicy: 'IfNotPresent' },
        s3: { publicEndpoint: 'http://tideport-s3:9000' },
        ...more,
        dev: {
          postgres: imageIn('POSTGRES_IMAGE'),
          nats: imageIn('NATS_IMAGE'),
          s3: imageIn('VERSITYGW_IMAGE'),
          ...more.dev,
        },
      }
      const files = ['-f', exampleFile('evaluation'), '-f', '-']
      await run(['upgrade', '--install', 'tideport', chart, ...files, '--wait', '--timeout=15m'], stringify(values))
    },
    uninstall: () => run(['uninstall', 'tideport', '--wait']),
    /** Returns after all old pods are deleted. */
    async restart(...names: string[]) {
      const deployments = names.map((name) => `deploy/tideport-${name}`)
      const old = await kube('get', 'pods', '-o', 'name', '-l', `app.kubernetes.io/component in (${names.join(',')})`)
      await kube('rollout', 'restart', ...deployments)
      for (const name of deployments) await kube('rollout', 'status', name, '--timeout=10m')
      await kube('wait', '--for=delete', '--timeout=10m', ...old.trim().split('\n'))
    },
    async startToolbox() {
      await kube('scale', 'deploy/tideport-toolbox', '--replicas=1')
      await kube('rollout', 'status', 'deploy/tideport-toolbox', '--timeout=5m')
    },
    inToolbox: (...command: string[]) => kube('exec', 'deploy/tideport-toolbox', '--', ...command),
    /** Runs a Node program in the toolbox, inside the cluster. Returns its output after it exits. */
    program: (source: string) =>
      withInput(['exec', '-i', 'deploy/tideport-toolbox', '--', 'node', '--input-type=module', '-'], source),
  }
}

/** Overrides the chart's image on clusters without a registry, whose images have no digests. */
const imageIn = (variable: string) => (process.env[variable] ? { image: process.env[variable] } : {})

/** For programs in the toolbox: a client of the API, and an upload that waits until the file is synced. */
export const client = `
const gateway = 'http://tideport-gateway'
const call = async (method, path, body) => {
  const headers = { 'x-dev-provider-id': 'cluster-test', ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(gateway + path, { method, headers, body: body && JSON.stringify(body) })
  if (!answer.ok) throw new Error(method + ' ' + path + ' answered ' + answer.status)
  return answer.json()
}
const upload = async (name, bytes = name) => {
  const { id: vaultId } = await call('POST', '/api/vaults', { name, visibility: 'public' })
  const file = { vaultId, name, mimeType: 'text/plain', sizeBytes: bytes.length }
  const { fileId, uploadUrl } = await call('POST', '/api/files/upload', file)
  await fetch(uploadUrl, { method: 'PUT', body: bytes, headers: { 'content-type': 'text/plain' } })
  await call('POST', '/api/files/' + fileId + '/confirm')
  while ((await call('GET', '/api/files/' + fileId)).status === 'hot') await new Promise((go) => setTimeout(go, 250))
  return fileId
}
`

/** Calls every service continuously until /tmp/stop exists. Prints the number of requests and the failures. */
export const load = `${client}
import { existsSync } from 'node:fs'
const fileId = await upload('rotated')
let asked = 0
const faults = []
const paths = ['/api/account', '/api/vaults', '/api/webhooks', '/api/files/' + fileId + '/download', '/api/public/files/' + fileId]
await Promise.all(paths.map(async (path) => {
  while (!existsSync('/tmp/stop')) {
    asked += 1
    const answer = await fetch(gateway + path, { headers: { 'x-dev-provider-id': 'cluster-test' } }).catch((error) => ({ error }))
    await answer.arrayBuffer?.().catch((error) => { answer.error = error })
    if (!answer.ok || answer.error) faults.push(path + ' ' + (answer.error?.cause?.code ?? answer.error ?? answer.status))
    await new Promise((go) => setTimeout(go, 20))
  }
}))
console.log(JSON.stringify({ asked, faults }))
`
