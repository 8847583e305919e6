import type { Endpoint, Upstream } from '@tideport/contracts/endpoint/endpoint'
import type { OfService } from '@tideport/contracts/endpoint/two-sides'
import type { internalApi } from '@tideport/contracts/internal/api'
import type { api } from '@tideport/contracts/public/api'
import type { Route } from './route.ts'

type Owned<S extends Upstream> = OfService<typeof api & typeof internalApi, S>

/** A route for each public and internal endpoint of a service, keyed by the endpoint's name in the tables. */
export type RoutesOf<S extends Upstream> = {
  [Id in keyof Owned<S>]: Owned<S>[Id] extends infer E extends Endpoint ? Route<E> : never
}

/** All routes of a service. `routesOf<'auth'>({ … })` compiles only if no route is missing, unknown, or misplaced. */
export function routesOf<S extends Upstream>(routes: RoutesOf<S>): Route[] {
  return Object.values(routes as Record<string, Route>)
}
