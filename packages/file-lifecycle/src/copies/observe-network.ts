import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { NetworkError, type NetworkFault, networkFaults } from '@tideport/storage-network/errors'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'

const PATIENCE_MS = 1000

/** Measures a network's room, and answers the check that `/ready` and `/metrics` make of it; what it finds is in both. */
export function observeNetwork(
  network: StorageNetwork,
  { metrics, signal }: { metrics: Metrics; signal: AbortSignal },
): () => Promise<boolean> {
  const soon = () => AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
  const labels = { network: network.id }
  metrics.gauge({
    name: 'tideport_storage_network_free_bytes',
    help: "Free bytes of the storage network's volume",
    labelNames: ['network'],
    async collect() {
      const space = await network.space(soon()).catch(() => null)
      this.reset()
      if (!space) return
      this.set(labels, space.freeBytes)
      total.set(labels, space.totalBytes)
      reserve.set(labels, space.reserveBytes)
    },
  })
  const total = metrics.gauge({
    name: 'tideport_storage_network_total_bytes',
    help: "Size of the storage network's volume in bytes",
    labelNames: ['network'],
  })
  const reserve = metrics.gauge({
    name: 'tideport_storage_network_reserve_bytes',
    help: 'Free bytes below which the storage network takes no more copies',
    labelNames: ['network'],
  })
  const fault = metrics.gauge({
    name: 'tideport_storage_network_fault',
    help: 'Why the storage network cannot work: 1 for the reason, if it is one of these',
    labelNames: ['network', 'fault'],
  })
  const tell = (found?: NetworkFault) => {
    for (const one of networkFaults) fault.set({ ...labels, fault: one }, one === found ? 1 : 0)
  }
  return async () => {
    try {
      await network.health(soon())
      tell()
      return true
    } catch (error) {
      tell(error instanceof NetworkError ? error.fault : undefined)
      throw error
    }
  }
}
