import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { NetworkError, type NetworkFault, networkFaults } from '@tideport/storage-network/errors'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'

const WAIT_MS = 1000

/** Measures the free space of the networks and returns a check of each for `/ready` and `/metrics`. */
export function observeNetworks(
  networks: readonly StorageNetwork[],
  { metrics, signal }: { metrics: Metrics; signal: AbortSignal },
): { name: string; check: () => Promise<boolean> }[] {
  const soon = () => AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)])
  metrics.gauge({
    name: 'tideport_storage_network_free_bytes',
    help: "Free bytes of a storage network's volume",
    labelNames: ['network'],
    async collect() {
      const spaces = await Promise.all(networks.map((network) => network.space(soon()).catch(() => null)))
      this.reset()
      for (const [index, space] of spaces.entries()) {
        const labels = { network: networks[index]?.name ?? '' }
        if (!space) continue
        this.set(labels, space.freeBytes)
        total.set(labels, space.totalBytes)
        reserve.set(labels, space.reserveBytes)
      }
    },
  })
  const total = metrics.gauge({
    name: 'tideport_storage_network_total_bytes',
    help: "Size of a storage network's volume in bytes",
    labelNames: ['network'],
  })
  const reserve = metrics.gauge({
    name: 'tideport_storage_network_reserve_bytes',
    help: 'Free bytes below which a storage network takes no more copies',
    labelNames: ['network'],
  })
  const fault = metrics.gauge({
    name: 'tideport_storage_network_fault',
    help: 'Why a storage network cannot work: 1 for the reason, if it is one of these',
    labelNames: ['network', 'fault'],
  })
  const tell = (network: string, found?: NetworkFault) => {
    for (const one of networkFaults) fault.set({ network, fault: one }, one === found ? 1 : 0)
  }
  return networks.map((network) => ({
    name: network.name,
    async check() {
      try {
        await network.health(soon())
        tell(network.name)
        return true
      } catch (error) {
        tell(network.name, error instanceof NetworkError ? error.fault : undefined)
        throw error
      }
    },
  }))
}
