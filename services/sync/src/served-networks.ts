import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'

/**
 * The networks whose queues this deployment takes jobs of: those of `SYNC_NETWORKS`, or all. Those that are left among
 * them, too: jobs that were enqueued before are still to be taken off their queues, though nothing is stored there any
 * more.
 */
export function servedNetworks(networks: Networks, names: readonly string[]): StorageNetwork[] {
  const served = names.length > 0 ? names : networks.order
  return served.flatMap((name) => networks.get(name) ?? [])
}

/** What is wrong with `SYNC_NETWORKS` beside the networks that there are. */
export function faultsOfServed(config: { syncNetworks: string[]; storageNetworks: { name: string }[] }): string[] {
  const names = config.storageNetworks.map(({ name }) => name)
  const unknown = config.syncNetworks.filter((name) => !names.includes(name))
  if (unknown.length === 0) return []
  return [`SYNC_NETWORKS: ${unknown.join(', ')}: no network of STORAGE_NETWORKS has this name`]
}
