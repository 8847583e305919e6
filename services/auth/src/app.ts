import { createHttpServer, type HttpServerOptions } from '@tideport/service-kit/http/http-server'
import { routesOf } from '@tideport/service-kit/http/routes-of'
import { accountRoutes } from './accounts/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import type { VerifyDeps } from './keys/verify-api-key.ts'

export interface AppDeps extends Omit<HttpServerOptions, 'routes'>, VerifyDeps {}

/** The auth service's API: keys and the log for their owners, four internal questions for the gateway. */
export function createApp({ db, batching, keyUsage, answerLife, ...server }: AppDeps) {
  return createHttpServer({
    ...server,
    routes: routesOf<'auth'>({ ...keyRoutes({ db, batching, keyUsage, answerLife }), ...accountRoutes({ db }) }),
  })
}
