import type { Batching } from '@tideport/service-kit/batching/batching'
import { createHttpServer, type HttpServerOptions } from '@tideport/service-kit/http/http-server'
import { routesOf } from '@tideport/service-kit/http/routes-of'
import type { AnswerLife } from '@tideport/service-kit/process/answer-life'
import type { Kysely } from 'kysely'
import type { KeyUsage } from './keys/key-usage.ts'
import { createApiKeyRoute } from './routes/create-api-key.ts'
import { ensureAccountRoute } from './routes/ensure-account.ts'
import { findAccountRoute } from './routes/find-account.ts'
import { listAccountEventsRoute } from './routes/list-account-events.ts'
import { listApiKeysRoute } from './routes/list-api-keys.ts'
import { readApiKeyRoute } from './routes/read-api-key.ts'
import { recheckApiKeysRoute } from './routes/recheck-api-keys.ts'
import { revokeApiKeyRoute } from './routes/revoke-api-key.ts'
import { rotateApiKeyRoute } from './routes/rotate-api-key.ts'
import { verifyApiKeyRoute } from './routes/verify-api-key.ts'
import type { AuthDb } from './tables.ts'

export interface AppDeps extends Omit<HttpServerOptions, 'routes'> {
  db: Kysely<AuthDb>
  batching: Batching
  keyUsage: KeyUsage
  /** Of answers about keys. */
  answerLife: AnswerLife
}

/** The auth service's API: keys and the log for their owners, four internal questions for the gateway. */
export function createApp({ db, batching, keyUsage, answerLife, ...server }: AppDeps) {
  return createHttpServer({
    ...server,
    routes: routesOf<'auth'>({
      createApiKey: createApiKeyRoute({ db }),
      listApiKeys: listApiKeysRoute({ db }),
      readApiKey: readApiKeyRoute({ db }),
      revokeApiKey: revokeApiKeyRoute({ db, answerLife }),
      rotateApiKey: rotateApiKeyRoute({ db, answerLife }),
      listAccountEvents: listAccountEventsRoute({ db }),
      verifyApiKey: verifyApiKeyRoute({ db, batching, keyUsage, answerLife }),
      recheckApiKeys: recheckApiKeysRoute({ db, answerLife }),
      ensureAccount: ensureAccountRoute({ db }),
      findAccount: findAccountRoute({ db }),
    }),
  })
}
