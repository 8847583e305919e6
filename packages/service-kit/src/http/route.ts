import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { Received, Returned } from '@tideport/contracts/endpoint/two-sides'
import type { AccountPrincipal, Principal } from '@tideport/contracts/internal/principal'
import type { FastifyReply, FastifyRequest } from 'fastify'

type PrincipalOf<E extends Endpoint> = E['access'] extends 'internal'
  ? Extract<Principal, { kind: 'gateway' }>
  : E['access'] extends 'public'
    ? AccountPrincipal | Extract<Principal, { kind: 'public' }>
    : AccountPrincipal

/** What the handler returns: the body of the answer, or nothing when it sends bytes or a page itself. */
type ResultOf<E extends Endpoint> = E['success'] extends { bytes: true } | { page: true }
  ? FastifyReply | undefined
  : Returned<E>

/** One request, authorised and validated as its endpoint says. */
export interface RouteInput<E extends Endpoint = Endpoint> {
  params: Received<E, 'params'>
  query: Received<E, 'query'>
  headers: Received<E, 'headers'>
  body: Received<E, 'body'>
  principal: PrincipalOf<E>
  /** Tells the gateway that this call costs so many requests more than the one it has counted (docs/reference/http/conventions.md). */
  charge: (requests: number) => void
  request: FastifyRequest
  reply: FastifyReply
  /**
   * Aborts when the client has gone or the process was told to stop. A stream that was handed to `reply` needs none of
   * it: it is destroyed with the connection and may end in peace on a stop.
   */
  readonly signal: AbortSignal
}

export interface Route<E extends Endpoint = Endpoint> {
  endpoint: E
  handle: (input: RouteInput) => Promise<unknown>
}

/**
 * Ties a handler to an endpoint of the contracts. JSON endpoints return the success body; what its schema does not name
 * is not sent. Bytes endpoints call `reply.send(stream)` themselves, or without a body when `request.method` is HEAD.
 */
export function serve<const E extends Endpoint>(
  endpoint: E,
  handle: (input: RouteInput<E>) => Promise<ResultOf<E>>,
): Route<E> {
  // The server builds the input from this very endpoint, so its parts have the types that E promises.
  return { endpoint, handle: handle as unknown as Route['handle'] }
}
