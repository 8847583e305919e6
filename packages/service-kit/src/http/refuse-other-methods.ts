import type { FastifyInstance, HTTPMethods } from 'fastify'
import { AppError } from '../process/app-error.ts'
import { http } from '../process/node-http.ts'

/** All that the parser lets through; CONNECT is no request to a route. */
const parsed = http.METHODS.filter((method) => method !== 'CONNECT')

/** A path that exists answers 405 to every method but these, whoever asks. */
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
