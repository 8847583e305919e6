import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { ConfigError } from '@tideport/service-kit/config/config'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'

/**
 * The networks whose queues this deployment takes jobs of: those of `SYNC_NETWORKS`, or all. Those that are left among
 * them, too: jobs that were enqueued before are still to be taken off their queues, though nothing is stored there any
 * more.
 */
export function servedNetworks(networks: Networks, names: readonly string[]): StorageNetwork[] {
  const faults = names.filter((name) => !networks.order.includes(name))
  if (faults.length > 0) {
    throw new ConfigError([`SYNC_NETWORKS: ${faults.join(', ')}: no network of STORAGE_NETWORKS has this name`])
  }
  const served = names.length > 0 ? names : networks.order
  return served.flatMap((name) => networks.get(name) ?? [])
}
