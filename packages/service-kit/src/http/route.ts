import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { Received, Returned } from '@tideport/contracts/endpoint/two-sides'
import type { AccountPrincipal, Principal } from '@tideport/contracts/internal/principal'
import type { FastifyReply, FastifyRequest } from 'fastify'

type PrincipalOf<E extends Endpoint> = E['access'] extends 'internal'
  ? Extract<Principal, { kind: 'gateway' }>
  : E['access'] extends 'public'
    ? AccountPrincipal | Extract<Principal, { kind: 'public' }>
    : AccountPrincipal

/** The handler's result: the response body, or nothing if the handler sends bytes or a page itself. */
type ResultOf<E extends Endpoint> = E['success'] extends { bytes: true } | { page: true }
  ? FastifyReply | undefined
  : Returned<E>

/** One request, authorized and validated as its endpoint defines. */
export interface RouteInput<E extends Endpoint = Endpoint> {
  params: Received<E, 'params'>
  query: Received<E, 'query'>
  headers: Received<E, 'headers'>
  body: Received<E, 'body'>
  principal: PrincipalOf<E>
  /** Charges `requests` in addition to the one that the gateway has counted (docs/reference/http/conventions.md). */
  charge: (requests: number) => void
  request: FastifyRequest
  reply: FastifyReply
  /**
   * Aborts when the client disconnects or the process stops. A stream passed to `reply` does not need the signal: the
   * stream is destroyed with the connection and may finish during a stop.
   */
  readonly signal: AbortSignal
}

export interface Route<E extends Endpoint = Endpoint> {
  endpoint: E
  handle: (input: RouteInput) => Promise<unknown>
}

/**
 * Connects a handler to an endpoint of the contracts. A JSON endpoint returns the success body; fields outside the
 * schema are not sent. A bytes endpoint calls `reply.send(stream)` itself, or sends no body when `request.method` is
 * HEAD.
 */
export function serve<const E extends Endpoint>(
  endpoint: E,
  handle: (input: RouteInput<E>) => Promise<ResultOf<E>>,
): Route<E> {
  // The server builds the input from this very endpoint, so its parts have the types that E promises.
  return { endpoint, handle: handle as unknown as Route['handle'] }
}
