import { errorBody } from '@tideport/contracts/endpoint/errors'
import { contentLengthHeader } from '@tideport/contracts/internal/api'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import { type JsonAnswer, requestJson } from '../upstream/request-json.ts'
import type { Upstream } from '../upstream/upstream.ts'

const ANSWER_MS = 10_000

interface Question {
  outgoing: { path: string; headers: Record<string, string | string[] | undefined> }
  isByLink: boolean
  length: string | undefined
}

/** Requests the internal path of the public one, with the same query. Throws the service's refusal; 503 without a response. */
export async function askFirst(upstream: Upstream, { outgoing, isByLink, length }: Question): Promise<void> {
  const { path, headers } = outgoing
  // The router decodes paths, so `/%61pi/` is `/api/`. The question must never become a read of the file itself.
  const request = {
    method: 'GET',
    path: isByLink ? path.replace(/^\/[^/?]*(\/[^/?]*).*/, '/internal/s$1') : path.replace(/^\/[^/?]*/, '/internal'),
    headers: { ...headers, ...(length !== undefined && { [contentLengthHeader]: length }) },
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
  } as const
  let failure: unknown
  for (const { liveness, lanes, observe } of upstream.inTurn()) {
    if (liveness.isHung) continue
    const startedAt = performance.now()
    const { answer: asked, abandon } = requestJson(lanes.quick, request)
    const waiting = liveness.wait(abandon)
    try {
      const answer = await asked
      observe('GET', answer.status, startedAt)
      if (answer.status !== 200) throw refusalIn(answer)
      return
    } catch (error) {
      if (error instanceof AppError) throw error
      observe('GET', 'failed', startedAt)
      failure = error
    } finally {
      liveness.left(waiting)
    }
  }
  throw unavailable('The service is temporarily unavailable', failure)
}

function refusalIn({ status, answer }: JsonAnswer): AppError {
  const { success, data } = errorBody.safeParse(answer)
  if (!success) return unavailable('The service is temporarily unavailable', new Error(`It answered ${status}`))
  const { code, error, details } = data
  const retryAfterSeconds = status === 429 || status === 503 ? 5 : undefined
  return new AppError(code, error, { ...(details && { details }), ...(retryAfterSeconds && { retryAfterSeconds }) })
}
