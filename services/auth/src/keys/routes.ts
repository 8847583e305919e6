import { readApiKey } from '@tideport/contracts/public/api-keys'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { createApiKeyRoute } from './create-api-key.ts'
import { listApiKeysRoute } from './list-api-keys.ts'
import { revokeApiKeyRoute } from './revoke-api-key.ts'
import { rotateApiKeyRoute } from './rotate-api-key.ts'
import { readSeenKey } from './seen-keys.ts'
import { findS3KeyRoute, recheckApiKeysRoute, type VerifyDeps, verifyApiKeyRoute } from './verify-api-key.ts'
import { toApiKey } from './views.ts'

export function keyRoutes(deps: VerifyDeps) {
  return {
    createApiKey: createApiKeyRoute(deps),
    listApiKeys: listApiKeysRoute(deps),
    // Includes revoked and expired keys.
    readApiKey: serve(readApiKey, async ({ principal, params }) =>
      toApiKey(await readSeenKey(deps.db, principal, params.apiKeyId)),
    ),
    revokeApiKey: revokeApiKeyRoute(deps),
    rotateApiKey: rotateApiKeyRoute(deps),
    verifyApiKey: verifyApiKeyRoute(deps),
    findS3Key: findS3KeyRoute(deps),
    recheckApiKeys: recheckApiKeysRoute(deps),
  } satisfies Partial<RoutesOf<'auth'>>
}
