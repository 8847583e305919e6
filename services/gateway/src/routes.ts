import { api } from '@tideport/contracts/api'
import type { Endpoint } from '@tideport/contracts/endpoint'
import { AppError } from '@tideport/service-kit/app-error'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { Admission } from './admission.ts'
import type { Forward } from './proxy.ts'

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

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

/** A path that exists answers 405 to every method it does not have. */
export function refuseOtherMethods(app: FastifyInstance, url: string, allowed: readonly HTTPMethods[]): void {
  app.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url,
    onRequest: async (_request, reply) => {
      reply.header('allow', allowed.join(', '))
      throw new AppError('method_not_allowed', 'The method is not allowed here')
    },
    handler: async () => undefined,
  })
}
