import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { serverBinary } from '../binaries/server-binary.ts'
import { exists } from '../file-system/exists.ts'
import { onAPort } from '../ports/on-a-port.ts'
import { awaitReady } from '../processes/await-ready.ts'
import { bareEnvironment, type Environment, hostEnvironment } from '../processes/host-environment.ts'
import { endStray } from '../processes/process-record.ts'
import { type RunningChild, runChild } from '../processes/run-child.ts'
import { runCommand } from '../processes/run-command.ts'
import { configureKubo } from './kubo-config.ts'

export type KuboOptions = {
  /** Where the node keeps its repository; made when missing. One running node per directory. */
  dataDir: string
  /** Of its RPC; a free one when missing. */
  port?: number | undefined
  /** False gives up surviving a power cut for speed, for tests. */
  durable?: boolean | undefined
  /** Gets every line the node prints. */
  log?: ((line: string) => void) | undefined
  /** Where KUBO_BIN, PATH and TIDEPORT_CACHE_DIR are read; this process's environment when missing. */
  env?: Environment | undefined
}

/** A running Kubo that no other node can reach: its RPC on 127.0.0.1, for who has its token. */
export type KuboServer = RunningChild & {
  readonly port: number
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly token: string
  /** Its repository, for whoever looks at its blocks. */
  readonly repo: string
}

/**
 * Starts a private Kubo on `dataDir` and resolves when it answers; it collects garbage by itself. A node that a killed
 * process left behind on the same directory is ended first. Rejects with `StartError` when it does not come up.
 */
export async function launchKubo(options: KuboOptions): Promise<KuboServer> {
  const environment = options.env ?? hostEnvironment()
  const binary = await serverBinary('ipfs', { env: environment, out: options.log })
  const [recordFile, repo] = [join(options.dataDir, 'process.json'), join(options.dataDir, 'repo')]
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 })
  await endStray(recordFile, 'SIGTERM')
  const env = { ...bareEnvironment(environment), IPFS_PATH: repo, LIBP2P_FORCE_PNET: '1', LIBP2P_TCP_MUX: 'false' }
  if (!(await exists(join(repo, 'config')))) {
    await runCommand(binary, ['init', '--empty-repo'], { env, timeoutMs: 60_000 })
  }
  return onAPort(options.port, async (port) => {
    const token = await configureKubo(repo, { apiPort: port, durable: options.durable ?? true })
    const child = await runChild({
      command: binary,
      args: ['daemon', '--enable-gc'],
      env,
      onLine: options.log,
      stopSignal: 'SIGTERM',
      stopGraceMs: 20_000,
      deathSignal: 'SIGTERM',
      recordFile,
    })
    const url = `http://127.0.0.1:${port}`
    await awaitReady('Kubo', child, () => answers(url, token), 60_000)
    return { ...child, port, url, token, repo }
  })
}

async function answers(url: string, token: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/api/v0/version`, { method: 'POST', headers, signal: AbortSignal.timeout(2_000) })
  await response.body?.cancel()
  return response.ok
}
