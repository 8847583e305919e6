import { type ErrorCode, errorBody } from '@tideport/contracts/endpoint/errors'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import type { Dispatcher } from 'undici'
import { isBrokenConnection, isNotConnected } from './connection-failure.ts'
import type { LaneName } from './connection-pools.ts'
import { type JsonAnswer, requestJson } from './request-json.ts'
import type { Upstream } from './upstream.ts'

/**
 * Requests JSON of the first process that responds. Throws the service's refusal, or 503 without a response. In a lane
 * other than `quick`, a process that is busy with the request does not count as unresponsive.
 */
export async function askJson(
  upstream: Upstream,
  request: Dispatcher.DispatchOptions,
  lane: LaneName = 'quick',
): Promise<JsonAnswer> {
  let failure: unknown
  for (const { liveness, lanes, observe } of upstream.inTurn()) {
    if (liveness.isHung) continue
    const startedAt = performance.now()
    const { answer: asked, abandon } = requestJson(lanes[lane], request)
    const waiting = liveness.wait(lane === 'quick' ? abandon : undefined)
    try {
      const answer = await asked
      observe(request.method, answer.status, startedAt)
      if (answer.status >= 300) throw refusalIn(answer)
      return answer
    } catch (error) {
      if (error instanceof AppError) throw error
      observe(request.method, 'failed', startedAt)
      failure = error
      if (!mayTryNext(request.method, error)) break
    } finally {
      liveness.left(waiting)
    }
  }
  throw unavailable('The service is temporarily unavailable', failure)
}

/**
 * Reads can be repeated. Other requests are retried only if they were never sent, because they may have taken effect.
 */
export function mayTryNext(method: string, error: unknown): boolean {
  if (isNotConnected(error) || isFull(error)) return true
  return (method === 'GET' || method === 'HEAD') && isBrokenConnection(error)
}

function isFull(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable'
}

export function refusalIn({ status, answer }: Pick<JsonAnswer, 'status' | 'answer'>): AppError {
  const code = answer === null ? codes.get(status) : undefined
  if (code !== undefined) return new AppError(code, 'The service refused the request')
  const { success, data } = errorBody.safeParse(answer)
  if (!success)
    return unavailable('The service is temporarily unavailable', new Error(`The service returned HTTP ${status}`))
  const { error, details } = data
  const retryAfterSeconds = status === 429 || status === 503 ? 5 : undefined
  return new AppError(data.code, error, {
    ...(details && { details }),
    ...(retryAfterSeconds && { retryAfterSeconds }),
  })
}

/** Of responses to HEAD, which have only a status. */
const codes = new Map<number, ErrorCode>([
  [400, 'validation_failed'],
  [403, 'outside_key_limits'],
  [404, 'not_found'],
  [409, 'state_conflict'],
  [410, 'content_lost'],
  [412, 'precondition_failed'],
  [416, 'range_not_satisfiable'],
  [429, 'key_bytes_spent'],
])
