import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { buildOpenApi } from '@tideport/contracts/openapi/build-openapi'
import { isKnown } from '@tideport/service-kit/http/entity-tag'
import { refuseOtherMethods } from '@tideport/service-kit/http/refuse-other-methods'
import type { FastifyInstance } from 'fastify'
import type { Admission } from '../limits/admission.ts'
import { pagePolicy } from './page-policy.ts'

const own = new URL('../../docs-page/', import.meta.url)
// Uses only the plugin's files: its routes would lack our limits, policy, and caching.
const swaggerUi = new URL('static/', import.meta.resolve('@fastify/swagger-ui'))

const files = [
  { url: '/docs', file: new URL('page.html', own), type: 'text/html; charset=utf-8' },
  { url: '/docs/page.css', file: new URL('page.css', own), type: 'text/css; charset=utf-8' },
  { url: '/docs/show-page.js', file: new URL('show-page.js', own), type: 'text/javascript; charset=utf-8' },
  { url: '/docs/swagger-ui.css', file: new URL('swagger-ui.css', swaggerUi), type: 'text/css; charset=utf-8' },
  {
    url: '/docs/swagger-ui-bundle.js',
    file: new URL('swagger-ui-bundle.js', swaggerUi),
    type: 'text/javascript; charset=utf-8',
  },
]

/** No inline code, and no requests to other origins. The icons in the styles are data URLs. */
const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'worker-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

const headersOf = (publicUrl: string | undefined) => ({
  'content-security-policy': pagePolicy(policy, { 'script-src': '/docs/', 'style-src': '/docs/' }, publicUrl),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Revalidated on every use (304): a new version shows immediately, and the page's files always match.
  'cache-control': 'no-cache',
})

interface DocsPageDeps {
  admission: Admission
  publicUrl: string | undefined
}

/** `GET /docs`: the API description as a public page. */
export function addDocsPage(app: FastifyInstance, { admission, publicUrl }: DocsPageDeps): void {
  const headers = headersOf(publicUrl)
  for (const { url, file, type } of files) {
    const content = readFileSync(file)
    const etag = `"${hash('sha256', content, 'base64url')}"`
    app.route({
      method: ['GET', 'HEAD'],
      url,
      onRequest: admission.admitAnyone,
      handler: async (request, reply) => {
        reply.headers({ ...headers, etag })
        return isKnown(etag, request.headers['if-none-match'] ?? '')
          ? reply.code(304).send()
          : reply.type(type).send(content)
      },
    })
    refuseOtherMethods(app, url, ['GET', 'HEAD'])
  }
}

const path = '/api/openapi.json'

export function addApiDescription(app: FastifyInstance, { admission, publicUrl }: DocsPageDeps): void {
  let description: string | undefined
  // Not at the start, which it would delay.
  const describe = () => JSON.stringify(buildOpenApi(publicUrl === undefined ? {} : { publicUrl }))
  app.route({
    method: ['GET', 'HEAD'],
    url: path,
    onRequest: admission.admitAnyone,
    handler: async (_request, reply) => {
      description ??= describe()
      return reply.type('application/json; charset=utf-8').send(description)
    },
  })
  refuseOtherMethods(app, path, ['GET', 'HEAD'])
}
