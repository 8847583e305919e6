import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { ConfigError } from '@tideport/service-kit/config/config'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'

/** The networks that this deployment stores to: those of `SYNC_NETWORKS`, or all that are required. */
export function servedNetworks(networks: Networks, names: readonly string[]): StorageNetwork[] {
  const faults = names.filter((name) => !networks.required.includes(name))
  if (faults.length > 0) {
    throw new ConfigError([
      `SYNC_NETWORKS: ${faults.join(', ')}: no required network of STORAGE_NETWORKS has this name`,
    ])
  }
  const served = names.length > 0 ? names : networks.required
  return served.flatMap((name) => networks.get(name) ?? [])
}
