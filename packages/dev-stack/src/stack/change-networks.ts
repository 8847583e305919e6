import type { JobOptions } from '../provisioning/run-job.ts'
import type { NetworkNodes } from '../servers/network-nodes.ts'
import { type ColdTier, coldTierOf, isOnNode } from '../services/cold-tier.ts'
import type { PlannedService } from '../services/plan-processes.ts'
import type { ServiceName } from '../services/service-name.ts'
import type { RunningProcess, Services } from '../services/start-services.ts'
import { setUpNetworks } from './prepare-servers.ts'

export type NetworkChange = {
  /**
   * Names, in order of preference. `ipfs` and `ipfs-…` are IPFS nodes, `walrus-devnet` and `walrus-devnet-…` are
   * devnets, and all others are embedded networks.
   */
  networks: readonly string[]
  leaving?: readonly string[]
  /** Override the settings that follow from the names, for example for a network in an external bucket. */
  settings?: Readonly<Record<string, string>>
  /** Numbers of the replicas that get the new networks; defaults to all. The others keep their current networks. */
  replicas?: readonly number[]
}

/** Services with storage networks, in the order in which docs/operate/networks/overview.md restarts them. */
const replaced: readonly ServiceName[] = ['sync', 'eviction', 'files']

/**
 * Sets up the networks, then restarts the processes one by one, so both configurations run at the same time. Throws
 * before it restarts a process if a network cannot be set up; the message is a complete sentence.
 */
export async function changeNetworks(
  { networks, leaving, settings, replicas }: NetworkChange,
  {
    services,
    nodes,
    databaseUrl,
    ...jobs
  }: JobOptions & { services: Services; nodes: NetworkNodes; databaseUrl: string },
): Promise<ColdTier> {
  await nodes.start(networks.filter(isOnNode))
  const named = coldTierOf(networks, jobs.layout, leaving, nodes.current())
  const coldTier = { ...named, settings: { ...named.settings, ...settings } }
  await setUpNetworks(databaseUrl, coldTier, jobs)
  const changed = new Set<RunningProcess>()
  for (const name of replaced) {
    const isMeant = (service: PlannedService) => service.name === name && (replicas?.includes(service.replica) ?? true)
    for (const process of services.running) {
      if (changed.has(process) || !process.services.some(isMeant)) continue
      changed.add(process)
      await process.changeNetworks(coldTier.settings)
    }
  }
  return coldTier
}
