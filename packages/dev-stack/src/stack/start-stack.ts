import { serverBinary } from '../binaries/server-binary.ts'
import { keepConsole } from '../console/keep-console.ts'
import { loadSecrets } from '../data-directory/secrets.ts'
import { keepStackFile, type StackFile, type StackProcess } from '../data-directory/stack-file.ts'
import { openLogs } from '../data-directory/stack-logs.ts'
import { throughPort } from '../provisioning/database-urls.ts'
import { keepNetworkNodes, type NetworkNodes, type NodeKind } from '../servers/network-nodes.ts'
import { coldTierOf, givenColdTier, isOnIpfs, isOnNode, networkDir } from '../services/cold-tier.ts'
import { planProcesses } from '../services/plan-processes.ts'
import { operatorEnvironment, publicUrlOf, s3ApiUrlsOf } from '../services/service-environment.ts'
import { type RunningProcess, type Services, startServices } from '../services/start-services.ts'
import { withFreePorts } from '../services/with-free-ports.ts'
import { changeNetworks, type NetworkChange } from './change-networks.ts'
import { assertDataInUse } from './embedded-data.ts'
import { openData } from './open-data.ts'
import { prepareServers } from './prepare-servers.ts'
import { type ServerAddresses, serverAddresses } from './server-addresses.ts'
import { type StackHealth, stackHealth } from './stack-health.ts'
import { type ResolvedOptions, resolveOptions, type StackOptions } from './stack-options.ts'
import { type Servers, startServers } from './start-servers.ts'
import { wiringOf } from './wiring.ts'

export type Stack = AsyncDisposable & {
  describe(): StackFile
  health(): Promise<StackHealth>
  /** The address that clients use. */
  publicUrl: string
  /** The link to the set-up page, once a service has logged it; undefined if the installation has an owner. */
  setUpLink(): string | undefined
  /** Resolves when every process has the new networks (change-networks.ts). */
  changeNetworks(change: NetworkChange): Promise<void>
  /** Stops all processes, services first, and removes `stack.json`. Keeps the data. Idempotent. */
  stop(): Promise<void>
}

/**
 * Resolves when every process is ready and `stack.json` exists. Restarts processes that exit. Takes over the data of a
 * killed stack. Throws if a stack already runs on this data, the port is taken, or a start fails; then no process stays
 * running, and the message is a complete sentence.
 */
export async function startStack(stackOptions: StackOptions = {}): Promise<Stack> {
  const options = resolveOptions(stackOptions)
  const { out, signal } = options
  await using parts = new AsyncDisposableStack()
  const { layout } = parts.use(await openData(options.dataDir, options.fresh))
  const { host, durable, production } = options
  const plan = () => planProcesses(options, { ...options, host: production?.host })
  await plan() // reports a taken port before any process starts
  if (production !== undefined) await assertDataInUse(layout, production.external)
  const secrets = await loadSecrets(layout.secrets)
  await getBinaries(options)
  signal.throwIfAborted()

  const stackFile = keepStackFile(layout.stackFile, out)
  const logs = parts.use(openLogs(layout.logs))
  if (options.console) parts.use(keepConsole(options))
  const common = { options, layout, logs, onRestart: stackFile.update }
  const named = serversOf(options)
  if (named.length > 0) out(`starting ${new Intl.ListFormat('en').format(named)}`)
  const servers = parts.use(await startServers({ ...common, secrets }))
  const dirOf = (name: string) => networkDir(name, layout)
  const kindOf = (name: string) => (isOnIpfs(name) ? 'ipfs' : 'walrus')
  const supervised = { kindOf, dirOf, durable, env: host, logOf: logs.writer, report: out, onRestart: stackFile.update }
  const nodes = parts.use(keepNetworkNodes(supervised))
  await nodes.start(options.networks.filter(isOnNode))
  let coldTier = givenColdTier(host, layout, production) ?? coldTierOf(options.networks, layout, [], nodes.current())
  signal.throwIfAborted()
  const addresses = serverAddresses(servers, options, secrets)
  const { databaseUrls: directUrls } = addresses
  const firstUserId = await prepareServers({ ...common, addresses, coldTier })
  const pooler = options.pooler && parts.use(await options.pooler(directUrls))
  const databaseUrls = pooler ? throughPort(directUrls, pooler.port) : directUrls
  signal.throwIfAborted()

  const wiring = wiringOf(options, { ...addresses, databaseUrls }, coldTier, secrets)
  let setUpLink: string | undefined
  const onSetUpLink = (link: string) => {
    setUpLink = link
  }
  const services = parts.use(
    await withFreePorts(plan, (planned) => {
      const { size } = new Set(planned.map(({ process }) => process))
      out(size === 1 ? 'starting the services' : `starting the services in ${size} processes`)
      return startServices({ ...common, onSetUpLink, wiring: { ...wiring, services: planned } })
    }),
  )
  signal.throwIfAborted()

  const planned = () => services.running.flatMap((process) => process.services)
  const described = { servers, nodes, services, addresses, firstUserId: firstUserId ?? '' }
  const describe = () =>
    describeStack({
      ...described,
      networkDirs: coldTier.networkDirs,
      operatorSettings: operatorEnvironment({ ...wiring, services: planned(), coldTier: coldTier.settings }),
    })
  await parts.use(stackFile).publish(describe)
  const running = parts.move()
  let stopping: Promise<void> | undefined
  function stop(): Promise<void> {
    stopping ??= running.disposeAsync()
    return stopping
  }
  const jobs = { servicesDir: options.servicesDir, cwd: options.checkout, layout, logs, host }
  return {
    describe,
    health: () => stackHealth(servers, services),
    publicUrl: publicUrlOf({ ...wiring, services: planned() }),
    setUpLink: () => setUpLink,
    async changeNetworks(change) {
      coldTier = await changeNetworks(change, { ...jobs, services, nodes, databaseUrl: directUrls.files })
      await stackFile.update()
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Names of the servers that the stack starts. */
function serversOf({ networks, production }: ResolvedOptions): string[] {
  const { databaseUrl, natsUrl, s3 } = production?.external ?? {}
  const external = { Postgres: databaseUrl, 'nats-server': natsUrl, versitygw: s3 }
  const own = Object.entries(external).flatMap(([name, server]) => (server === undefined ? [name] : []))
  return networks.some(isOnIpfs) ? [...own, 'Kubo'] : own
}

/** Obtains the binaries one by one, before any process starts. The first time can take minutes, with progress lines. */
async function getBinaries({ networks, host, out }: ResolvedOptions): Promise<void> {
  await serverBinary('nats-server', { env: host, out })
  await serverBinary('versitygw', { env: host, out })
  if (networks.some(isOnIpfs)) await serverBinary('ipfs', { env: host, out })
}

type StackParts = {
  servers: Servers
  nodes: NetworkNodes
  services: Services
  addresses: ServerAddresses
  networkDirs: Record<string, string>
  firstUserId: string
  operatorSettings: Record<string, string>
}

function describeStack({ servers, nodes, services, ...parts }: StackParts): StackFile {
  const { adminUrl, natsUrl, store } = parts.addresses
  const { forcePathStyle: _, ...s3 } = store
  const { postgres, nats } = servers
  const running = services.running.flatMap(describeProcess)
  return {
    gatewayUrls: running.flatMap(({ name, url }) => (name === 'gateway' && url ? [url] : [])),
    s3ApiUrls: services.running.flatMap(({ services }) => s3ApiUrlsOf(services)),
    processes: [
      ...running,
      ...(postgres ? [{ name: 'postgres' as const, replica: 0, pid: postgres.current().pid }] : []),
      ...(nats ? [{ name: 'nats' as const, replica: 0, pid: nats.current().pid }] : []),
      ...(servers.s3 ? [{ name: 's3' as const, replica: 0, pid: servers.s3.current().pid, url: s3.endpoint }] : []),
      ...describeNodes(nodes, 'ipfs'),
      ...describeNodes(nodes, 'walrus'),
    ],
    postgresUrl: adminUrl,
    natsUrl,
    s3,
    networkDir: Object.values(parts.networkDirs)[0] as string,
    networkDirs: parts.networkDirs,
    firstUserId: parts.firstUserId,
    operatorSettings: parts.operatorSettings,
  }
}

/** The services of a process have the same process ID and admin URL. */
function describeProcess({ services, child }: RunningProcess): StackProcess[] {
  const { pid } = child.current()
  return services.map(({ name, replica, url, adminUrl }) => ({
    name,
    replica,
    pid,
    ...(url === undefined ? {} : { url }),
    adminUrl,
  }))
}

function describeNodes(nodes: NetworkNodes, kind: NodeKind): StackProcess[] {
  const ofKind = Object.values(nodes.current()).filter((node) => node.kind === kind)
  return ofKind.map(({ pid, url }, replica) => ({ name: kind, replica, pid, url }))
}
