import { buildOpenApi } from '@tideport/contracts/openapi/build-openapi'
import { refuseOtherMethods } from '@tideport/service-kit/http/refuse-other-methods'
import type { FastifyInstance } from 'fastify'
import type { Admission } from '../limits/admission.ts'

const path = '/api/openapi.json'

export interface ApiDescriptionDeps {
  admission: Admission
  publicUrl: string | undefined
}

export function addApiDescription(app: FastifyInstance, { admission, publicUrl }: ApiDescriptionDeps): void {
  const description = JSON.stringify(buildOpenApi(publicUrl === undefined ? {} : { publicUrl }))
  app.route({
    method: ['GET', 'HEAD'],
    url: path,
    onRequest: admission.admitAnyone,
    handler: async (_request, reply) => reply.type('application/json; charset=utf-8').send(description),
  })
  refuseOtherMethods(app, path, ['GET', 'HEAD'])
}
