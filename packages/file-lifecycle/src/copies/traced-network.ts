import { inSpan } from '@tideport/service-kit/telemetry/span'
import type { StagedBlob, StorageNetwork } from '@tideport/storage-network/storage-network'

/** The same network, with a span for each call that has to do with a copy. */
export function tracedNetwork(network: StorageNetwork): StorageNetwork {
  const call = <T>(operation: string, work: () => Promise<T>) =>
    inSpan({ name: `network ${operation}`, kind: 'client', attributes: { 'tideport.network': network.id } }, work)
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
  const { id, maxBlobBytes, caps } = network
  return {
    ...{ id, maxBlobBytes, caps },
    stage: (...given) => call('stage', () => stage(...given)),
    open: (...given) => call('open', () => network.open(...given)),
    stat: (...given) => call('stat', () => network.stat(...given)),
    prove: (...given) => call('prove', () => network.prove(...given)),
    renew: (...given) => call('renew', () => network.renew(...given)),
    remove: (...given) => call('remove', () => network.remove(...given)),
    health: (...given) => network.health(...given),
    references: (...given) => network.references(...given),
    space: (...given) => network.space(...given),
  }
}
