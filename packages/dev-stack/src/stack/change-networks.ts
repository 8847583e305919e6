import type { JobOptions } from '../provisioning/run-job.ts'
import type { NetworkNodes } from '../servers/network-nodes.ts'
import { type ColdTier, coldTierOf, isOnNode } from '../services/cold-tier.ts'
import type { ServiceName } from '../services/service-name.ts'
import type { Services } from '../services/start-services.ts'
import { setUpNetworks } from './prepare-servers.ts'

export type NetworkChange = {
  /**
   * Names, in order of preference; those of IPFS nodes begin with `ipfs`, those of devnets with `walrus-devnet`, all
   * others are embedded ones.
   */
  networks: readonly string[]
  leaving?: readonly string[]
  /** Over those that follow from the names, such as of a network in a bucket elsewhere. */
  settings?: Readonly<Record<string, string>>
  /**
   * Numbers of the replicas that get the new networks; all when missing. The others continue with their current
   * networks.
   */
  replicas?: readonly number[]
}

/** Who has networks, in the order in which docs/operate/networks/overview.md replaces them. */
const replaced: readonly ServiceName[] = ['sync', 'eviction', 'files']

/**
 * Sets the networks up, then restarts one process after the other, so that both configurations run meanwhile. Throws a
 * sentence, with nothing changed, when a network cannot be set up.
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
  for (const name of replaced) {
    for (const service of services.running) {
      const isMeant = service.name === name && (replicas?.includes(service.replica) ?? true)
      if (isMeant) await service.changeNetworks(coldTier.settings)
    }
  }
  return coldTier
}
