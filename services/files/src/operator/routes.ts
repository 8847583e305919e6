import { listOperatorEvents } from '@tideport/contracts/public/operator-events'
import { readOperations } from '@tideport/service-kit/http/operator-log'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { listDeadLettersRoute, type RedriveDeps, redriveDeadLettersRoute } from './dead-letters.ts'
import { type NetworksDeps, readNetworksRoute } from './read-networks.ts'
import { readOverviewRoute } from './read-overview.ts'
import { runRoutes } from './runs.ts'

export function operatorRoutes(deps: NetworksDeps & RedriveDeps) {
  return {
    readOperatorOverview: readOverviewRoute(deps),
    readOperatorNetworks: readNetworksRoute(deps),
    listDeadLetters: listDeadLettersRoute(deps),
    redriveDeadLetters: redriveDeadLettersRoute(deps),
    listOperatorEvents: serve(listOperatorEvents, ({ query }) => readOperations(deps.db, query)),
    ...runRoutes(deps),
  } satisfies Partial<RoutesOf<'files'>>
}
