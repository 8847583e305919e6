import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'

/**
 * The networks of `SYNC_NETWORKS`, or all networks. Includes networks that get no new copies, because their queues may
 * still have jobs.
 */
export function servedNetworks(networks: Networks, names: readonly string[]): StorageNetwork[] {
  const served = names.length > 0 ? names : networks.order
  return served.flatMap((name) => networks.get(name) ?? [])
}

export function faultsOfServed(config: { syncNetworks: string[]; storageNetworks: { name: string }[] }): string[] {
  const names = config.storageNetworks.map(({ name }) => name)
  const unknown = config.syncNetworks.filter((name) => !names.includes(name))
  if (unknown.length === 0) return []
  return [`SYNC_NETWORKS: ${unknown.join(', ')}: not in STORAGE_NETWORKS`]
}
