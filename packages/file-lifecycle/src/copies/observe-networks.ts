import type { Health } from '@tideport/service-kit/process/health'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import { NetworkError, type NetworkFault, networkFaults } from '@tideport/storage-network/errors'
import { mends, type StagedBlob, type StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Networks } from './networks.ts'

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
    help: 'Free bytes below which a storage network accepts no more copies',
    labelNames: ['network'],
  })
  const fault = metrics.gauge({
    name: 'tideport_storage_network_fault',
    help: '1 for the current fault of a storage network, 0 for all others',
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

/** Reports in the log and in `/ready` that cold files have only one copy. */
export function tellSingleCopy(
  { required, get }: Pick<Networks, 'required' | 'get'>,
  { health, log, serviceEnv }: { health: Pick<Health, 'tell'>; log: Log; serviceEnv: string },
): void {
  const [network, ...others] = required
  if (network === undefined || others.length > 0) return
  const told = { network, driver: get(network)?.driver }
  health.tell('singleCopy', async () => told)
  const level = serviceEnv === 'development' ? 'info' : 'warn'
  log[level](
    told,
    'only one network is required, so a cold file has a single copy: add a second network, or back it up',
  )
}

/** Adds metrics and spans to the calls of a network. Measures an `open` up to the first byte. */
export function measureNetworks(metrics: Metrics): (network: StorageNetwork) => StorageNetwork {
  const mended = metrics.counter({
    name: 'tideport_copies_mended_total',
    help: 'Copies with intact content whose tree or length this process repaired in place',
    labelNames: ['network', 'mended'],
  })
  return (network) => {
    const { name, driver, maxBlobBytes, caps } = network
    for (const what of mends) mended.inc({ network: name, mended: what }, 0)
    const call = async <T>(operation: string, work: () => Promise<T>): Promise<T> => {
      const startedAt = performance.now()
      const observe = (outcome: 'ok' | 'failed') =>
        metrics.observeCall({ peer: 'storage_network', operation, outcome }, (performance.now() - startedAt) / 1000)
      const attributes = { 'tideport.network': name }
      try {
        const answer = await inSpan({ name: `network ${operation}`, kind: 'client', attributes }, work)
        observe('ok')
        return answer
      } catch (error) {
        observe('failed')
        throw error
      }
    }
    const stage = async (...given: Parameters<StorageNetwork['stage']>): Promise<StagedBlob> => {
      const staged = await network.stage(...given)
      const { blobId, sha256, sizeBytes, ref } = staged
      return {
        ...{ blobId, sha256, sizeBytes, ref },
        commit: () => call('commit', () => staged.commit()),
        discard: () => staged.discard(),
        [Symbol.asyncDispose]: () => staged[Symbol.asyncDispose](),
      }
    }
    const prove: StorageNetwork['prove'] = async (...given) => {
      const proof = await network.prove(...given)
      if (proof.ok) for (const what of proof.mended ?? []) mended.inc({ network: name, mended: what })
      return proof
    }
    return {
      ...{ name, driver, maxBlobBytes, caps },
      blobIdOf: (content) => network.blobIdOf(content),
      billedBytes: (sizeBytes) => network.billedBytes(sizeBytes),
      leaseEnd: () => network.leaseEnd(),
      stage: (...given) => call('stage', () => stage(...given)),
      open: (...given) => call('open', () => network.open(...given)),
      stat: (...given) => call('stat', () => network.stat(...given)),
      prove: (...given) => call('prove', () => prove(...given)),
      renew: (...given) => call('renew', () => network.renew(...given)),
      remove: (...given) => call('remove', () => network.remove(...given)),
      health: (...given) => network.health(...given),
      references: (...given) => network.references(...given),
      space: (...given) => network.space(...given),
    }
  }
}
