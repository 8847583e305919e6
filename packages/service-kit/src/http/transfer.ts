import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@tideport/contracts/internal/principal'
import type { Pace } from '../process/client-pace.ts'
import type { Holder } from '../process/fair-slots.ts'
import { networkOf, parseAddress } from './ip-address.ts'

/** Prefix lengths of the largest network that a provider usually assigns to one customer. */
const NETWORK_BITS = { ipv4: 24, ipv6: 48 }

/** The account, or the network of an anonymous client's address. `limitKey`: the client's key in limits. */
export function holderOf(principal: Principal | null, address: string, limitKey = address): Holder {
  if (principal?.kind === 'account') return { kind: 'account', group: principal.accountId, address: limitKey }
  const parsed = parseAddress(address)
  const group = parsed === null ? address : networkOf(parsed, NETWORK_BITS)
  return { kind: 'anonymous', group, address: limitKey }
}

/** The pace at which a client reads a response. */
export function takingPace({ socket }: IncomingMessage): () => Pace {
  return () => ({ movedBytes: socket.bytesWritten - socket.writableLength, isWaiting: socket.writableLength > 0 })
}

/** The pace at which a client sends a request body. Once the body is complete, nothing waits for the client. */
export function bodyPace(request: IncomingMessage): () => Pace {
  return () => ({
    movedBytes: request.socket.bytesRead,
    isWaiting: !request.complete && request.readableLength === 0,
  })
}

/**
 * The pace of the request body, then of the response. While the client waits for 100 Continue, `isAsked` is false and
 * nothing waits for the client.
 */
export function sendingPace(request: IncomingMessage, response: ServerResponse, isAsked: () => boolean): () => Pace {
  const taking = takingPace(request)
  return () => {
    if (request.complete || response.headersSent) return taking()
    return { movedBytes: request.socket.bytesRead, isWaiting: request.readableLength === 0 && isAsked() }
  }
}
