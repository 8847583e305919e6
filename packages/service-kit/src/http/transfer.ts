import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@tideport/contracts/internal/principal'
import type { Pace } from '../process/client-pace.ts'
import type { Holder } from '../process/fair-slots.ts'
import { networkOf, parseAddress } from './ip-address.ts'

/** What one customer of a provider gets at most, as a rule. */
const NETWORK_BITS = { ipv4: 24, ipv6: 48 }

/** An account, or for an anonymous client the network of its address. `limitKey`: its key in limits. */
export function holderOf(principal: Principal | null, address: string, limitKey = address): Holder {
  if (principal?.kind === 'account') return { kind: 'account', group: principal.accountId, address: limitKey }
  const parsed = parseAddress(address)
  const group = parsed === null ? address : networkOf(parsed, NETWORK_BITS)
  return { kind: 'anonymous', group, address: limitKey }
}

/** The pace at which a client takes an answer. */
export function takingPace({ socket }: IncomingMessage): () => Pace {
  return () => ({ movedBytes: socket.bytesWritten - socket.writableLength, isWaiting: socket.writableLength > 0 })
}

/** The pace at which a client sends the body of a request; nothing waits for it any more once that is complete. */
export function bodyPace(request: IncomingMessage): () => Pace {
  return () => ({
    movedBytes: request.socket.bytesRead,
    isWaiting: !request.complete && request.readableLength === 0,
  })
}

/** Then also of the response. A client that waits for 100 Continue (`isAsked`) is not waited for. */
export function sendingPace(request: IncomingMessage, response: ServerResponse, isAsked: () => boolean): () => Pace {
  const taking = takingPace(request)
  return () => {
    if (request.complete || response.headersSent) return taking()
    return { movedBytes: request.socket.bytesRead, isWaiting: request.readableLength === 0 && isAsked() }
  }
}
