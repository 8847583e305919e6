import { EndpointError } from './failure.ts'
import { type Endpoint, openEndpoint } from './transport.ts'

/** How long a failed endpoint is tried last. */
const AVOIDED_MS = 30_000

/** Equivalent endpoints, in the order of attempts. */
export interface Endpoints {
  /** Calls endpoints in order until one succeeds. If none does, throws the most significant error (`WEIGHT`). */
  first<T>(call: (endpoint: Endpoint) => Promise<T>, mayGoOn?: () => boolean): Promise<T>
  all(): readonly Endpoint[]
}

export function openEndpoints(urls: readonly string[], options: { keepAlive: boolean }): Endpoints {
  const endpoints = urls.map((url) => openEndpoint(url, options))
  const failedAt = new Map<Endpoint, number>()
  const avoided = (endpoint: Endpoint) =>
    performance.now() - (failedAt.get(endpoint) ?? Number.NEGATIVE_INFINITY) < AVOIDED_MS
  const inOrder = () => [...endpoints.filter((one) => !avoided(one)), ...endpoints.filter((one) => avoided(one))]
  return {
    all: inOrder,
    async first(call, mayGoOn = () => true) {
      const errors: EndpointError[] = []
      for (const endpoint of inOrder()) {
        try {
          const answer = await call(endpoint)
          failedAt.delete(endpoint)
          return answer
        } catch (error) {
          if (!(error instanceof EndpointError) || !error.elsewhere) throw error
          if (error.code === 'unreachable') failedAt.set(endpoint, performance.now())
          errors.push(error)
          if (!mayGoOn()) break
        }
      }
      throw weightiest(errors)
    },
  }
}

/** A negative response proves nothing while another endpoint is unavailable. A positive one outweighs it. */
const WEIGHT = ['not_found', 'too_large', 'integrity', 'unreachable', 'copy_failed'] as const

function weightiest(errors: readonly EndpointError[]): EndpointError {
  const weightOf = ({ code }: EndpointError) => WEIGHT.indexOf(code as (typeof WEIGHT)[number])
  const [first, ...others] = errors
  if (first === undefined) throw new Error('No endpoint is configured')
  const found = others.reduce((most, one) => (weightOf(one) > weightOf(most) ? one : most), first)
  // If one endpoint may have stored the blob, it may be stored.
  return errors.find((one) => one.ambiguous) ?? found
}
