import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'

/** The same network, whose calls are measured; an `open` until its first byte may be read. */
export function measureNetwork(network: StorageNetwork, metrics: Metrics): StorageNetwork {
  async function timed<T>(operation: string, call: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    const observe = (outcome: 'ok' | 'failed') =>
      metrics.observeCall({ peer: 'storage_network', operation, outcome }, (performance.now() - startedAt) / 1000)
    try {
      const answer = await call()
      observe('ok')
      return answer
    } catch (error) {
      observe('failed')
      throw error
    }
  }
  return {
    id: network.id,
    maxBlobBytes: network.maxBlobBytes,
    caps: network.caps,
    stage: (body, options) => timed('stage', () => network.stage(body, options)),
    open: (blobId, options) => timed('open', () => network.open(blobId, options)),
    stat: (...asked) => timed('stat', () => network.stat(...asked)),
    prove: (...asked) => timed('prove', () => network.prove(...asked)),
    renew: (...asked) => timed('renew', () => network.renew(...asked)),
    remove: (...asked) => timed('remove', () => network.remove(...asked)),
    health: (signal, needs) => network.health(signal, needs),
    references: (...asked) => network.references(...asked),
    space: (signal) => network.space(signal),
  }
}
