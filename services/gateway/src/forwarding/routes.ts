import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { api } from '@tideport/contracts/public/api'
import { refuseOtherMethods } from '@tideport/service-kit/http/refuse-other-methods'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { Admission } from '../limits/admission.ts'
import type { Forward } from './proxy.ts'

/**
 * The public API: exactly the endpoints of the contracts, each with the policy its `access` says. Whether an account's
 * key has the scope is the owning service's to judge; it gets the scopes in the signed token.
 */
export function addRoutes(app: FastifyInstance, { admission, forward }: { admission: Admission; forward: Forward }) {
  const endpoints: readonly Endpoint[] = Object.values(api)
  for (const endpoint of endpoints) {
    app.route({
      method: methodsOf(endpoint),
      url: endpoint.path,
      onRequest: endpoint.access === 'public' ? admission.admitAnyone : admission.admitAccount,
      handler: (request, reply) => forward(request, reply, endpoint),
    })
  }
  const byShape = Map.groupBy(endpoints, ({ path }) => path.replace(/:[^/]+/g, ':'))
  for (const [first, ...others] of byShape.values()) {
    if (first !== undefined) refuseOtherMethods(app, first.path, [first, ...others].flatMap(methodsOf))
  }
}

/** Whoever may read without an account may also ask with HEAD (docs/api.md §4). */
function methodsOf({ method, access }: Endpoint): HTTPMethods[] {
  return method === 'GET' && access === 'public' ? ['GET', 'HEAD'] : [method]
}
