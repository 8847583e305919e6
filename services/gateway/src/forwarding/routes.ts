import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { pathShape, routePath } from '@tideport/contracts/endpoint/path-shape'
import { api } from '@tideport/contracts/public/api'
import { refuseOtherMethods } from '@tideport/service-kit/http/refuse-other-methods'
import { addByteRoutes } from '@tideport/service-kit/http/take-bytes'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { Admission } from '../limits/admission.ts'
import type { Forward, Forwarded } from './proxy.ts'

/**
 * The public API: exactly the endpoints of the contracts that services answer, each with the policy its `access` says. Whether an account's
 * key has the scope is the owning service's to judge; it gets the scopes in the signed token.
 */
export function addRoutes(app: FastifyInstance, { admission, forward }: { admission: Admission; forward: Forward }) {
  const endpoints = Object.values<Endpoint>(api).filter((endpoint) => endpoint.service !== 'gateway') as Forwarded[]
  const add = (scope: FastifyInstance, endpoint: Forwarded) =>
    scope.route({
      method: methodsOf(endpoint),
      url: routePath(endpoint.path),
      config: { takesBytes: endpoint.takesBytes === true, takesForm: endpoint.takesForm === true },
      onRequest: endpoint.access === 'public' ? admission.admitAnyone : admission.admitAccount,
      handler: (request, reply) => forward(request, reply, endpoint),
    })
  for (const endpoint of endpoints.filter(({ takesBytes }) => !takesBytes)) add(app, endpoint)
  addByteRoutes(app, (scope) => {
    for (const endpoint of endpoints.filter(({ takesBytes }) => takesBytes)) add(scope, endpoint)
  })
  const byShape = Map.groupBy(endpoints, ({ path }) => pathShape(path))
  for (const [first, ...others] of byShape.values()) {
    if (first !== undefined) refuseOtherMethods(app, routePath(first.path), [first, ...others].flatMap(methodsOf))
  }
}

/** Whoever may read without an account, or reads bytes, may also ask with HEAD (docs/api.md §4). */
function methodsOf({ method, access, success }: Endpoint): HTTPMethods[] {
  return method === 'GET' && (access === 'public' || 'bytes' in success) ? ['GET', 'HEAD'] : [method]
}
