import { join } from 'node:path'
import { serverBinary } from '../binaries/server-binary.ts'
import { exists } from '../file-system/exists.ts'
import { bareEnvironment, hostEnvironment } from '../processes/host-environment.ts'
import { runCommand } from '../processes/run-command.ts'
import { configureKubo } from './kubo-config.ts'
import { claimDataDir, isAnswered, launchServer, type RunningServer, type ServerOptions } from './launch-server.ts'

interface KuboOptions extends ServerOptions {
  /** False gives up surviving a power cut for speed, for tests. */
  durable?: boolean
}

/** A running Kubo that no other node can reach: its RPC on 127.0.0.1, for who has its token. */
export type KuboServer = RunningServer & {
  readonly url: string
  readonly token: string
  readonly repo: string
}

/** Starts a private Kubo on `dataDir` and resolves when its RPC responds. It collects garbage automatically. */
export async function launchKubo({ durable = true, ...options }: KuboOptions): Promise<KuboServer> {
  const environment = options.env ?? hostEnvironment()
  const command = await serverBinary('ipfs', { env: environment, out: options.log })
  const repo = join(options.dataDir, 'repo')
  await claimDataDir(options)
  const env = { ...bareEnvironment(environment), IPFS_PATH: repo, LIBP2P_FORCE_PNET: '1', LIBP2P_TCP_MUX: 'false' }
  if (!(await exists(join(repo, 'config')))) {
    await runCommand(command, ['init', '--empty-repo'], { env, timeoutMs: 60_000 })
  }
  let token = ''
  const server = await launchServer(options, async (port) => {
    token = await configureKubo(repo, { apiPort: port, durable })
    const init = { method: 'POST', headers: { authorization: `Bearer ${token}` } }
    const isReady = () => isAnswered(`${urlOn(port)}/api/v0/version`, init)
    const args = ['daemon', '--enable-gc']
    return { name: 'Kubo', command, args, env, isReady, readyTimeoutMs: 60_000, stopGraceMs: 20_000 }
  })
  return { ...server, url: urlOn(server.port), token, repo }
}

const urlOn = (port: number) => `http://127.0.0.1:${port}`
