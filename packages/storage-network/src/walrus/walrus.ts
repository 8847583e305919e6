import type { NetworkIdentity } from '../identity.ts'
import type { Owner } from '../owner.ts'
import { createTreeCache, type TreeCache } from '../verified/tree-cache.ts'
import { type Endpoints, openEndpoints } from './endpoints.ts'
import { ownerOf } from './owner.ts'
import type { WalrusSettings } from './settings.ts'

export interface Walrus {
  settings: WalrusSettings
  publishers: Endpoints
  aggregators: Endpoints
  owner: Owner
  identity: NetworkIdentity
  trees: TreeCache
  /** The epoch in which the marker expires, if this process has stored it. */
  marked: { endEpoch: number }
}

export function openWalrus(settings: WalrusSettings, identity: NetworkIdentity): Walrus {
  // A body must not be sent on a dead connection, because its source cannot be read again.
  const publishers = openEndpoints(settings.publishers, { keepAlive: false })
  const aggregators = openEndpoints(settings.aggregators, { keepAlive: true })
  const owner = ownerOf(aggregators, settings, identity)
  return {
    ...{ settings, publishers, aggregators, owner, identity, trees: createTreeCache() },
    marked: { endEpoch: 0 },
  }
}
