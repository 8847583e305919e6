import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serverBinary } from '../binaries/server-binary.ts'
import { exists } from '../file-system/exists.ts'
import { writeAtomically } from '../file-system/write-atomically.ts'
import { bareEnvironment, hostEnvironment } from '../processes/host-environment.ts'
import { runCommand } from '../processes/run-command.ts'
import { claimDataDir, isAnswered, launchServer, type RunningServer, type ServerOptions } from './launch-server.ts'

interface KuboOptions extends ServerOptions {
  /** False disables durability after a power failure, for fast tests. */
  durable?: boolean
}

/** A running Kubo that no other node can reach. Its RPC listens on 127.0.0.1 and requires the token. */
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

// The node's own values and those that Tideport sets. All others are Kubo's defaults.
type KuboConfig = {
  API: { Authorizations?: Record<string, { AuthSecret: string; AllowedPaths: string[] }> }
  Datastore: { Spec: { mounts: { type: string; sync?: boolean }[] } }
  [section: string]: unknown
}

const user = 'tideport'
const scheme = 'bearer:'

/**
 * Turns a repository of `ipfs init` into a private node: no peers, no announcements, and an RPC on loopback that
 * requires the token. Idempotent. Returns the token, which never changes.
 */
async function configureKubo(
  repo: string,
  { apiPort, durable }: { apiPort: number; durable: boolean },
): Promise<string> {
  const file = join(repo, 'config')
  const config: KuboConfig = JSON.parse(await readFile(file, 'utf8'))
  const known = config.API.Authorizations?.[user]?.AuthSecret
  const secret = known ?? `${scheme}${randomBytes(24).toString('base64url')}`
  for (const mount of config.Datastore.Spec.mounts) if (mount.type === 'flatfs') mount.sync = durable
  const ours = {
    Addresses: { API: `/ip4/127.0.0.1/tcp/${apiPort}`, Gateway: [], Swarm: [] },
    API: { Authorizations: { [user]: { AuthSecret: secret, AllowedPaths: ['/api/v0'] } } },
    AutoConf: { Enabled: false },
    AutoTLS: { Enabled: false },
    Bootstrap: [],
    Discovery: { MDNS: { Enabled: false } },
    DNS: { Resolvers: {} },
    Gateway: { NoFetch: true },
    Ipns: { DelegatedPublishers: [] },
    Plugins: { Plugins: { telemetry: { Config: { Mode: 'off' } } } },
    Provide: { Enabled: false },
    Routing: { Type: 'none', DelegatedRouters: [] },
    Swarm: { DisableNatPortMap: true, RelayClient: { Enabled: false }, RelayService: { Enabled: false } },
    Version: { SwarmCheckEnabled: false },
  }
  await writeAtomically(file, `${JSON.stringify({ ...config, ...ours }, null, 2)}\n`)
  await keepSwarmKey(join(repo, 'swarm.key'))
  return secret.slice(scheme.length)
}

/** A private swarm key prevents connections from other nodes, even if the addresses change. */
async function keepSwarmKey(file: string): Promise<void> {
  if (await exists(file)) return
  await writeFile(file, `/key/swarm/psk/1.0.0/\n/base16/\n${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
}
