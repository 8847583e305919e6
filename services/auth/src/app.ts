import { createHttpServer, type HttpServerOptions } from '@tideport/service-kit/http/http-server'
import { relyingPartyOf } from '@tideport/service-kit/http/relying-party'
import { routesOf } from '@tideport/service-kit/http/routes-of'
import { accountRoutes } from './accounts/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import type { VerifyDeps } from './keys/verify-api-key.ts'
import { ownerRoutes } from './owner/routes.ts'

export interface AppDeps extends Omit<HttpServerOptions, 'routes'>, VerifyDeps {
  publicUrl: string | undefined
}

export function createApp({ db, batching, keyUsage, answerLife, s3SecretKeys, publicUrl, ...server }: AppDeps) {
  const relyingParty = relyingPartyOf(publicUrl)
  return createHttpServer({
    ...server,
    routes: routesOf<'auth'>({
      ...keyRoutes({ db, batching, keyUsage, answerLife, s3SecretKeys }),
      ...ownerRoutes({ db, relyingParty, publicUrl }),
      ...accountRoutes({ db }),
    }),
  })
}
