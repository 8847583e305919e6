import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { pathShape, routePath } from '@tideport/contracts/endpoint/path-shape'
import { api } from '@tideport/contracts/public/api'
import { methodsOf, refuseOtherMethods } from '@tideport/service-kit/http/refuse-other-methods'
import { addByteRoutes } from '@tideport/service-kit/http/take-bytes'
import type { FastifyInstance } from 'fastify'
import type { Admission } from '../limits/admission.ts'
import type { Forward, Forwarded } from './proxy.ts'
import { refusePrograms } from './refuse-programs.ts'

export interface RoutesDeps {
  admission: Admission
  forward: Forward
  hasOperators: boolean
}

/** The owning service checks the scopes of a key. Without operators their endpoints do not exist for anybody. */
export function addRoutes(app: FastifyInstance, { admission, forward, hasOperators }: RoutesDeps): void {
  const isThere = ({ service, access }: Endpoint) => service !== 'gateway' && (access !== 'operator' || hasOperators)
  const endpoints = Object.values<Endpoint>(api).filter(isThere) as Forwarded[]
  const add = (scope: FastifyInstance, endpoint: Forwarded) =>
    scope.route({
      method: methodsOf(endpoint),
      url: routePath(endpoint.path),
      config: { takesBytes: endpoint.takesBytes === true, takesForm: endpoint.takesForm === true },
      onRequest: [admissionOf(endpoint, admission), refusePrograms],
      handler: (request, reply) => forward(request, reply, endpoint),
    })
  for (const endpoint of endpoints.filter(({ takesBytes }) => !takesBytes)) add(app, endpoint)
  addByteRoutes(app, (scope) => {
    for (const endpoint of endpoints.filter(({ takesBytes }) => takesBytes)) add(scope, endpoint)
  })
  // To those who are no operators nothing tells that there is a path of operators'.
  const known = endpoints.filter(({ access }) => access !== 'operator')
  const byShape = Map.groupBy(known, ({ path }) => pathShape(path))
  for (const [first, ...others] of byShape.values()) {
    if (first !== undefined) refuseOtherMethods(app, routePath(first.path), [first, ...others].flatMap(methodsOf))
  }
}

function admissionOf({ access }: Endpoint, { admitAnyone, admitAccount, admitOperator }: Admission) {
  if (access === 'public') return admitAnyone
  return access === 'operator' ? admitOperator : admitAccount
}
