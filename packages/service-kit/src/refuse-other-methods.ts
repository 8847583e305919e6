import type { FastifyInstance, HTTPMethods } from 'fastify'
import { AppError } from './app-error.ts'

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** A path that exists answers 405 to every method but these, whoever asks. */
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
