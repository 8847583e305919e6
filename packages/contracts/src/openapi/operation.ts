import type { z } from 'zod'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { fillParameters } from '../endpoint/path-shape.ts'
import { byteRequestHeaders } from './headers.ts'
import type { SchemaBook } from './json-schema.ts'
import { responsesOf, withoutBodies } from './responses.ts'

/** The OpenAPI operations of one endpoint by lower-case method: one, or GET and HEAD if the response is bytes. */
export function operationsOf(operationId: string, endpoint: Endpoint, book: SchemaBook): Record<string, object> {
  const isBytes = 'bytes' in endpoint.success
  const responses = responsesOf(endpoint, book)
  const operation = {
    tags: [endpoint.takesBytes && endpoint.access !== 'public' ? 'Files' : tagOf(endpoint.path)],
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    security: securityOf(endpoint),
    parameters: [
      ...parametersIn('path', endpoint.params, book),
      ...parametersIn('query', endpoint.query, book),
      ...parametersIn('header', endpoint.headers, book),
      ...(isBytes ? byteRequestHeaders : []),
    ],
    ...(endpoint.body && { requestBody: bodyOf(endpoint, book.request(endpoint.body)) }),
    ...(endpoint.takesBytes && { requestBody: { required: true, content: { '*/*': {} } } }),
  }
  const method = endpoint.method.toLowerCase()
  if (!isBytes) return { [method]: { operationId, ...operation, responses } }
  return {
    get: { operationId, ...operation, responses },
    head: { operationId: `${operationId}Head`, ...operation, responses: withoutBodies(responses) },
  }
}

export function jsonBody(schema: object) {
  return { required: true, content: { 'application/json': { schema } } }
}

function bodyOf({ takesForm }: Endpoint, schema: object) {
  const json = jsonBody(schema)
  return takesForm ? { ...json, content: { 'application/x-www-form-urlencoded': { schema }, ...json.content } } : json
}

/** `/api/files/:fileId` → `/api/files/{fileId}`. */
export function templatePath(path: string): string {
  return fillParameters(path, (name) => `{${name}}`)
}

/** By the first path segment after `/api`. Links are created below their file or vault. */
const tags: Record<string, string> = {
  account: 'Account',
  vaults: 'Vaults',
  files: 'Files',
  downloads: 'Files',
  trash: 'Trash',
  jobs: 'Jobs',
  auth: 'API keys',
  'sign-in': 'Sign-in',
  'set-up': 'Sign-in',
  public: 'Public access',
  webhooks: 'Webhooks',
  links: 'Links',
  operator: 'Operators',
}

const isOfOwner = /^\/api\/account\/(passkeys|recovery-code)\b/

function tagOf(path: string): string {
  const isOfLinks = path.startsWith('/s/') || path.endsWith('/links')
  const tag = isOfLinks ? tags.links : isOfOwner.test(path) ? tags['sign-in'] : tags[path.split('/')[2] ?? '']
  if (!tag) throw new Error(`No tag for ${path}`)
  return tag
}

/** A key needs the scope. A login has all rights of its account; an operator's login has more. */
function securityOf({ access }: Endpoint) {
  if (access === 'public') return []
  return access === 'operator' ? [{ identityProvider: [] }] : [{ apiKey: [access] }, { identityProvider: [] }]
}

function parametersIn(place: 'path' | 'query' | 'header', schema: z.ZodObject | undefined, book: SchemaBook) {
  if (!schema) return []
  const { properties = {}, required = [] } = book.request(schema) as ObjectSchema
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
  }))
}

interface ObjectSchema {
  properties?: Record<string, Record<string, unknown>>
  required?: string[]
}
