import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { beginSetUpRoute, completeSetUpRoute, type SetUpDeps } from './complete-set-up.ts'
import { manageRoutes } from './manage.ts'
import { beginPasskeySignInRoute, signInWithPasskeyRoute, signInWithRecoveryCodeRoute } from './sign-in.ts'

export function ownerRoutes(deps: SetUpDeps) {
  return {
    beginSetUp: beginSetUpRoute(deps),
    completeSetUp: completeSetUpRoute(deps),
    beginPasskeySignIn: beginPasskeySignInRoute(deps),
    signInWithPasskey: signInWithPasskeyRoute(deps),
    signInWithRecoveryCode: signInWithRecoveryCodeRoute(deps),
    ...manageRoutes(deps),
  } satisfies Partial<RoutesOf<'auth'>>
}
