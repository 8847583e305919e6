import type { Endpoint } from '../endpoint/endpoint.ts'
import { api } from '../public/api.ts'
import { type EventType, eventTypes, payloads } from '../public/webhook-payload.ts'
import { sharedErrorResponses } from './error-responses.ts'
import { deliveryHeaders, headers, responseHeaders } from './headers.ts'
import { description, tags } from './introduction.ts'
import { type JsonSchema, openSchemaBook, type SchemaBook } from './json-schema.ts'
import { jsonBody, operationsOf, templatePath } from './operation.ts'

interface OpenApiDocument {
  openapi: '3.1.0'
  info: Record<string, unknown>
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, object>>
  webhooks: Record<string, Record<string, object>>
  components: Record<string, Record<string, object>>
}

/** `publicUrl`: the address that clients use. Without it, paths are relative to the document. */
export function buildOpenApi({ publicUrl = '/' }: { publicUrl?: string } = {}): OpenApiDocument {
  const book = openSchemaBook()
  const paths: OpenApiDocument['paths'] = { '/api/openapi.json': { get: readOpenApi } }
  for (const [operationId, endpoint] of Object.entries<Endpoint>(api)) {
    const path = templatePath(endpoint.path)
    paths[path] = { ...paths[path], ...operationsOf(operationId, endpoint, book) }
  }
  const webhooks = Object.fromEntries(eventTypes.map((event) => [event, { post: webhookOperation(event, book) }]))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tideport',
      version: '1',
      summary: 'File storage: hot in object storage, then proven copies on content-addressed networks',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags,
    paths,
    webhooks,
    components: {
      schemas: sorted(book.components),
      responses: sharedErrorResponses(book),
      headers: responseHeaders,
      securitySchemes,
    },
  }
}

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'API key',
    description: 'An API key, `tdp_…`. It needs the scope that the operation lists.',
  },
  identityProvider: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token of the configured identity provider. It has all rights of its account.',
  },
}

const readOpenApi = {
  operationId: 'readOpenApi',
  tags: ['Documentation'],
  summary: 'Read this document',
  security: [],
  responses: {
    200: {
      description: 'OpenAPI 3.1',
      headers: headers('X-Request-Id'),
      content: { 'application/json': { schema: { type: 'object' } } },
    },
  },
}

const eventSummaries: Record<EventType, string> = {
  'file.hot': 'A file was confirmed and is readable',
  'file.synced': 'A file has a copy on a storage network',
  'file.cold': 'A file left hot storage; it stays readable',
  'file.error': 'Processing of a file failed',
  'file.deleted': 'A file was moved to the trash (not along with its vault)',
  'file.restored': 'A file was restored from the trash',
  'file.purged': 'A file was deleted permanently',
  'file.copied': 'A network stored a copy of a file',
  'file.copy_lost': 'A network lost its copy of a file',
  'file.lease_expiring': 'A copy’s lease expires soon and was not renewed',
  'vault.created': 'A vault was created',
  'vault.deleted': 'A vault and its files were moved to the trash',
  'vault.restored': 'A vault and its files were restored from the trash',
}

function webhookOperation(event: EventType, book: SchemaBook) {
  const schema = { allOf: [book.answer(payloads[event])], properties: { event: { const: event } } }
  return {
    operationId: `deliver${event.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: ['Events'],
    summary: eventSummaries[event],
    security: [],
    parameters: deliveryHeaders,
    requestBody: jsonBody(schema),
    responses: {
      '2XX': { description: 'Delivered' },
      410: { description: 'Gone: Tideport disables the webhook' },
      default: { description: 'Any other response, or none in time: Tideport retries later' },
    },
  }
}

function sorted(schemas: Record<string, JsonSchema>) {
  return Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
