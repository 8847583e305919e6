import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { NetworkError } from './errors.ts'
import type { StorageNetwork } from './storage-network.ts'

/** How often each host name is being asked for right now. */
const asked = new Map<string, number>()

/** The system's own lookup, for connections of networks: while it has no answer, that is known here. */
export const lookup: LookupFunction = (hostname, options, done) => {
  asked.set(hostname, (asked.get(hostname) ?? 0) + 1)
  dns.lookup(hostname, options, (...answer) => {
    const left = (asked.get(hostname) ?? 1) - 1
    if (left > 0) asked.set(hostname, left)
    else asked.delete(hostname)
    done(...(answer as Parameters<typeof done>))
  })
}

/** A network at these URLs that says, when it does not answer in time, whether it was only its name that nobody told. */
export function tellingOfNames(network: StorageNetwork, urls: readonly string[]): StorageNetwork {
  const hosts = urls.map((url) => new URL(url).hostname)
  return {
    ...network,
    async health(signal, needs) {
      try {
        await network.health(signal, needs)
      } catch (error) {
        if (!isLate(error) || !hosts.some((host) => asked.has(host))) throw error
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
