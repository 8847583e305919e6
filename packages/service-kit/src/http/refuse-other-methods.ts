import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { pathShape, routePath } from '@tideport/contracts/endpoint/path-shape'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import { AppError } from '../process/app-error.ts'
import { http } from '../process/node-http.ts'

/** All methods that Node's parser accepts, except CONNECT, which is not a request to a route. */
const parsed = http.METHODS.filter((method) => method !== 'CONNECT')

/** Every GET also responds to HEAD (RFC 9110 §9.3.2). */
export function methodsOf({ method }: Pick<Endpoint, 'method'>): HTTPMethods[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

/** A path that several endpoints share allows the methods of all of them. */
export function refuseMethodsOfNone(
  app: FastifyInstance,
  endpoints: readonly Pick<Endpoint, 'method' | 'path'>[],
): void {
  for (const [first, ...others] of Map.groupBy(endpoints, ({ path }) => pathShape(path)).values()) {
    if (first !== undefined) refuseOtherMethods(app, routePath(first.path), [first, ...others].flatMap(methodsOf))
  }
}

/** An existing path returns 405 for every other method, to any client. */
export function refuseOtherMethods(app: FastifyInstance, url: string, allowed: readonly HTTPMethods[]): void {
  const refused = parsed.filter((method) => !allowed.includes(method))
  for (const method of refused) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.route({
    method: refused,
    url,
    onRequest: async (_request, reply) => {
      reply.header('allow', allowed.join(', '))
      throw new AppError('method_not_allowed', 'The method is not allowed here')
    },
    handler: async () => undefined,
  })
}
