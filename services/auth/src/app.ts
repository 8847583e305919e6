import { createHttpServer, type HttpServerOptions } from '@tideport/service-kit/http/http-server'
import { routesOf } from '@tideport/service-kit/http/routes-of'
import { accountRoutes } from './accounts/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import type { VerifyDeps } from './keys/verify-api-key.ts'

export interface AppDeps extends Omit<HttpServerOptions, 'routes'>, VerifyDeps {}

export function createApp({ db, batching, keyUsage, answerLife, ...server }: AppDeps) {
  return createHttpServer({
    ...server,
    routes: routesOf<'auth'>({ ...keyRoutes({ db, batching, keyUsage, answerLife }), ...accountRoutes({ db }) }),
  })
}
