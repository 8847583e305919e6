import { isWaitingFor } from '@tideport/s3-client/lookup'
import { NetworkError } from './errors.ts'
import type { StorageNetwork } from './storage-network.ts'

/** A network at these URLs that says, when it does not answer in time, whether it was only its name that nobody told. */
export function tellingOfNames(network: StorageNetwork, urls: readonly string[]): StorageNetwork {
  const hosts = urls.map((url) => new URL(url).hostname)
  return {
    ...network,
    async health(signal, needs) {
      try {
        await network.health(signal, needs)
      } catch (error) {
        if (!isLate(error) || !hosts.some(isWaitingFor)) throw error
        const message = "no name server has told the network's address in time"
        throw new NetworkError('unreachable', message, { cause: error, fault: 'unresolved' })
      }
    },
  }
}

/** Of a network that answers otherwise nothing is said, such as when one of its two addresses has no name server. */
function isLate(error: unknown): boolean {
  if (error instanceof NetworkError) return error.code === 'unreachable' || error.fault === 'hanging'
  return error instanceof DOMException && error.name === 'TimeoutError'
}
