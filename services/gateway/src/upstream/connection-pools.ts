import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { revokeApiKey } from '@tideport/contracts/public/api-keys'
import { confirmUpload } from '@tideport/contracts/public/files'
import { readWebhookFeed } from '@tideport/contracts/public/webhooks'
import { openPool } from '@tideport/http-client/pool'
import { createSlots, type Slots } from '@tideport/service-kit/process/slots'
import type undici from 'undici'

const CONNECTIONS_MAX = 1024
const QUEUE_MAX = 1024

/**
 * `bytes` takes as long as its client, `confirm` as long as hot storage, `revoke` until gateways no longer cache the
 * key, and `wait` until new deliveries exist. `quick` is everything else.
 */
export type LaneName = 'quick' | 'confirm' | 'revoke' | 'wait' | 'bytes'
export type Lanes = Record<LaneName, Lane>

/** Connections to one process for one kind of request, with a bounded queue. */
export interface Lane {
  pool: undici.Pool
  /** Places for requests in progress and in the queue. Take one before each dispatch. */
  places: Slots
}

/** The lane of a request. The response to a HEAD has no bytes. */
export function laneOf({ path, success, takesBytes }: Endpoint, method: string): LaneName {
  if (path === confirmUpload.path) return 'confirm'
  if (path === revokeApiKey.path && method === revokeApiKey.method) return 'revoke'
  if (path === readWebhookFeed.path) return 'wait'
  if (takesBytes) return 'bytes'
  return 'bytes' in success && method !== 'HEAD' ? 'bytes' : 'quick'
}

/** How connections are made: to a host, or to a server of this process. */
type Connect = Parameters<typeof openPool>[1]['connect']

/** Uses separate connections to one origin for each kind of request, so that no kind waits for another. */
export function openLanes(origin: string, connect: Connect, bytesMax = CONNECTIONS_MAX): Lanes {
  const open = (connections?: number) => openLane(origin, connect, connections)
  return { quick: open(), confirm: open(), revoke: open(), wait: open(), bytes: open(bytesMax) }
}

/** One request at a time on a connection: pipelining and HTTP/2 cost more (measured). */
function openLane(origin: string, connect: Connect, connections = CONNECTIONS_MAX): Lane {
  return {
    pool: openPool(origin, { connections, pipelining: 1, connect }),
    places: createSlots(connections + QUEUE_MAX, 'The service is overloaded'),
  }
}
