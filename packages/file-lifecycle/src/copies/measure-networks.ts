import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import { mends, type StagedBlob, type StorageNetwork } from '@tideport/storage-network/storage-network'

/** Adds metrics and spans to the calls of a network. An `open` ends with its first byte. */
export function measureNetworks(metrics: Metrics): (network: StorageNetwork) => StorageNetwork {
  const mended = metrics.counter({
    name: 'tideport_copies_mended_total',
    help: 'Copies whose bytes were intact and which this process mended in place: the tree beside them, or their length',
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
