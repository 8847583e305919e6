import { AppError } from '@tideport/service-kit/process/app-error'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { looksLikeApiKey } from './api-key.ts'
import type { Authenticate } from './authenticate.ts'
import { isRefusal } from './unauthenticated.ts'

export function countDecisions(authenticate: Authenticate, metrics: Metrics): Authenticate {
  const decisions = metrics.counter({
    name: 'tideport_auth_decisions_total',
    help: 'Requests by what was decided about their credential: accepted, refused, or failed because nobody could be asked',
    labelNames: ['method', 'outcome', 'reason'],
  })
  const accepted = {
    api_key: decisions.labels('api_key', 'accepted', 'valid'),
    jwt: decisions.labels('jwt', 'accepted', 'valid'),
    development: decisions.labels('development', 'accepted', 'valid'),
  }
  for (const method of ['api_key', 'jwt', 'none']) decisions.labels(method, 'refused', 'unauthenticated').inc(0)
  return async (request, clientAddress) => {
    try {
      const caller = await authenticate(request, clientAddress)
      accepted[caller.principal.method].inc()
      return caller
    } catch (error) {
      const reason = error instanceof AppError ? error.code : 'internal'
      const outcome = isRefusal(error) ? 'refused' : 'failed'
      decisions.labels(methodOf(request.headers.authorization), outcome, reason).inc()
      throw error
    }
  }
}

function methodOf(authorization: string | undefined): 'api_key' | 'jwt' | 'none' {
  if (authorization === undefined) return 'none'
  return looksLikeApiKey(authorization) ? 'api_key' : 'jwt'
}
