import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { Route } from '@tideport/service-kit/http/route'
import { comingForStatements } from '@tideport/service-kit/postgres/gather-statements'

/** The route, each of whose calls counts as coming for statements that linger (docs/adr/0055). */
export function gatheredRoute<E extends Endpoint>(route: Route<E>): Route<E> {
  return { ...route, handle: (input) => comingForStatements(() => route.handle(input)) }
}
