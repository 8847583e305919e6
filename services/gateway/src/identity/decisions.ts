import { AppError } from '@tideport/service-kit/process/app-error'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { isRefusal } from './unauthenticated.ts'

type Method = 'api_key' | 'jwt' | 'development' | 's3'

export interface Decisions {
  accept(method: Method): void
  /** `isWrong`: the credential was rejected. Otherwise the check itself failed. */
  fail(method: Method | 'none', error: unknown, isWrong?: boolean): void
}

export function createDecisions(metrics: Metrics): Decisions {
  const decisions = metrics.counter({
    name: 'tideport_auth_decisions_total',
    help: 'Requests by result of authentication: accepted, refused, or failed because the check was unavailable',
    labelNames: ['method', 'outcome', 'reason'],
  })
  const accepted = {
    api_key: decisions.labels('api_key', 'accepted', 'valid'),
    jwt: decisions.labels('jwt', 'accepted', 'valid'),
    development: decisions.labels('development', 'accepted', 'valid'),
    s3: decisions.labels('s3', 'accepted', 'valid'),
  }
  for (const method of ['api_key', 'jwt', 's3', 'none']) decisions.labels(method, 'refused', 'unauthenticated').inc(0)
  return {
    accept: (method) => accepted[method].inc(),
    fail(method, error, isWrong = isRefusal(error)) {
      const reason = error instanceof AppError ? error.code : isWrong ? 'unauthenticated' : 'internal'
      decisions.labels(method, isWrong ? 'refused' : 'failed', reason).inc()
    },
  }
}
