import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { routePath } from '@tideport/contracts/endpoint/path-shape'
import { api } from '@tideport/contracts/public/api'
import { methodsOf, refuseMethodsOfNone, refuseOtherMethods } from '@tideport/service-kit/http/refuse-other-methods'
import { addByteRoutes } from '@tideport/service-kit/http/streamed-body'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import type { Admission } from '../limits/admission.ts'
import type { ForwardedBucket } from './forward-bucket.ts'
import type { Forward, Forwarded } from './proxy.ts'

interface RoutesDeps {
  admission: Admission
  forward: Forward
  bucket: ForwardedBucket | undefined
}

/** The owning service checks the scopes of a key. */
export function addRoutes(app: FastifyInstance, { admission, forward, bucket }: RoutesDeps): void {
  const endpoints = Object.values<Endpoint>(api).filter(({ service }) => service !== 'gateway') as Forwarded[]
  const add = (scope: FastifyInstance, endpoint: Forwarded) =>
    scope.route({
      method: methodsOf(endpoint),
      url: routePath(endpoint.path),
      config: { takesBytes: endpoint.takesBytes === true, takesForm: endpoint.takesForm === true },
      onRequest: [admissionOf(endpoint, admission), refusePrograms],
      handler: endpoint.signsIn
        ? (request, reply) => admission.signInOneByOne(request, () => forward(request, reply, endpoint))
        : (request, reply) => forward(request, reply, endpoint),
    })
  for (const endpoint of endpoints.filter(({ takesBytes }) => !takesBytes)) add(app, endpoint)
  addByteRoutes(app, (scope) => {
    for (const endpoint of endpoints.filter(({ takesBytes }) => takesBytes)) add(scope, endpoint)
    if (bucket !== undefined) addBucket(scope, bucket, admission)
  })
  if (bucket !== undefined) refuseOtherMethods(app, `/${bucket.name}/*`, bucketMethods)
  // A 405 would reveal operator paths to other users.
  refuseMethodsOfNone(
    app,
    endpoints.filter(({ access }) => access !== 'operator'),
  )
}

const bucketMethods: HTTPMethods[] = ['GET', 'HEAD', 'PUT', 'OPTIONS']

function addBucket(scope: FastifyInstance, { name, forward }: ForwardedBucket, admission: Admission): void {
  scope.route({
    method: bucketMethods,
    url: `/${name}/*`,
    config: { takesBytes: true },
    onRequest: [admission.admitCountingRefusals, refusePrograms],
    handler: forward,
  })
}

function admissionOf({ access, signsIn }: Endpoint, admission: Admission) {
  const { admitAnyone, admitCountingRefusals, admitAccount, admitOperator } = admission
  if (signsIn) return admitCountingRefusals
  if (access === 'public') return admitAnyone
  return access === 'operator' ? admitOperator : admitAccount
}

/** Request destinations (Fetch standard) that a browser runs as a program or applies as a style sheet. */
const destinations = new Set([
  'audioworklet',
  'paintworklet',
  'script',
  'serviceworker',
  'sharedworker',
  'style',
  'worker',
  'xslt',
])

/** 404 if a page of this origin loads a file as a program: a proxy that decodes `..%2f` can disguise it as an asset. */
async function refusePrograms({ headers }: FastifyRequest): Promise<void> {
  const isOwnPage = headers['sec-fetch-site'] === 'same-origin'
  if (isOwnPage && destinations.has(String(headers['sec-fetch-dest']))) throw notFound()
}
