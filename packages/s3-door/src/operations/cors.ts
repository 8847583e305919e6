import type { IncomingMessage } from 'node:http'
import { S3Error } from '../errors.ts'
import type { CorsRule } from '../files-port.ts'
import { malformed, nodesOf, readDocument, textOf, textsOf, type XmlNode } from '../xml/read-xml.ts'
import { writeDocument, type XmlElement } from '../xml/write-xml.ts'
import { type Answer, noContent, type Operation, xml } from './call.ts'
import { readVerified } from './verified-body.ts'

const DOCUMENT_MAX_BYTES = 64 * 1024
const RULES_MAX = 100
const methods = new Set(['GET', 'PUT', 'POST', 'DELETE', 'HEAD'])

export const getBucketCors: Operation = async ({ files, place }) => {
  const { cors } = await files.findBucket(place.bucket)
  if (cors === null) throw new S3Error('NoSuchCORSConfiguration', undefined, { BucketName: place.bucket })
  return xml(writeDocument('CORSConfiguration', cors.map(showRule)))
}

export const putBucketCors: Operation = async (call) => {
  const document = readDocument(await readVerified(call, DOCUMENT_MAX_BYTES), 'CORSConfiguration')
  const rules = nodesOf(document, 'CORSRule').map(readRule)
  if (rules.length === 0 || rules.length > RULES_MAX) throw malformed()
  await call.files.setCors(call.place.bucket, rules)
  return { status: 200 }
}

export const deleteBucketCors: Operation = async ({ files, place }) => {
  await files.setCors(place.bucket, null)
  return noContent
}

function showRule(rule: CorsRule): XmlElement {
  const each = (name: string, values: readonly string[]) => values.map((value): XmlElement => [name, value])
  return [
    'CORSRule',
    [
      ['ID', rule.id],
      ...each('AllowedHeader', rule.allowedHeaders),
      ...each('AllowedMethod', rule.allowedMethods),
      ...each('AllowedOrigin', rule.allowedOrigins),
      ...each('ExposeHeader', rule.exposeHeaders),
      ['MaxAgeSeconds', rule.maxAgeSeconds],
    ],
  ]
}

function readRule(node: XmlNode): CorsRule {
  const allowedOrigins = textsOf(node, 'AllowedOrigin')
  const allowedMethods = textsOf(node, 'AllowedMethod')
  const allowedHeaders = textsOf(node, 'AllowedHeader')
  const maxAge = textOf(node, 'MaxAgeSeconds')?.trim()
  if (allowedOrigins.length === 0 || allowedMethods.length === 0) throw malformed()
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) throw malformed()
  const unknown = allowedMethods.find((method) => !methods.has(method))
  if (unknown !== undefined) {
    throw new S3Error(
      'InvalidRequest',
      `Found unsupported HTTP method in CORS config. Unsupported method is ${unknown}`,
    )
  }
  for (const origin of allowedOrigins) assertOneWildcard('AllowedOrigin', origin)
  for (const header of allowedHeaders) assertOneWildcard('AllowedHeader', header)
  return {
    ...{ id: textOf(node, 'ID') },
    ...{ allowedOrigins, allowedMethods, allowedHeaders },
    exposeHeaders: textsOf(node, 'ExposeHeader'),
    maxAgeSeconds: maxAge === undefined ? null : Number(maxAge),
  }
}

function assertOneWildcard(name: string, value: string): void {
  if (value.split('*').length <= 2) return
  throw new S3Error('InvalidRequest', `${name} "${value}" can not have more than one wildcard.`)
}

interface Asked {
  origin: string
  method: string
  headers: string[]
}

/** The response to a preflight, which has no credential. Throws 403 if no rule matches. */
export function answerPreflight({ headers }: Pick<IncomingMessage, 'headers'>, rules: readonly CorsRule[]): Answer {
  const { origin } = headers
  const method = headers['access-control-request-method']
  if (origin === undefined) throw new S3Error('BadRequest', 'Insufficient information. Origin request header needed.')
  if (method === undefined || !methods.has(method)) {
    throw new S3Error('BadRequest', `Invalid Access-Control-Request-Method: ${method ?? ''}`)
  }
  const names = (headers['access-control-request-headers'] ?? '').split(',').map((name) => name.trim().toLowerCase())
  const asked = { origin, method, headers: names.filter((name) => name !== '') }
  const found = rules.length === 0 ? null : corsHeaders(rules, asked)
  if (found === null) {
    throw new S3Error(
      'AccessForbidden',
      rules.length === 0
        ? 'CORSResponse: CORS is not enabled for this bucket.'
        : "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
      { Method: method, ResourceType: 'OBJECT' },
    )
  }
  return { status: 200, headers: found }
}

/** The headers for a response to another origin; none if no rule matches. */
export function exposedHeaders(
  { headers, method }: Pick<IncomingMessage, 'headers' | 'method'>,
  rules: readonly CorsRule[],
) {
  const { origin } = headers
  if (origin === undefined) return {}
  return corsHeaders(rules, { origin, method: method ?? '', headers: [] }) ?? {}
}

function corsHeaders(rules: readonly CorsRule[], asked: Asked): Record<string, string> | null {
  const rule = rules.find((one) => matches(one, asked))
  if (rule === undefined) return null
  const { allowedMethods, exposeHeaders, maxAgeSeconds } = rule
  const isAny = rule.allowedOrigins.includes('*')
  return {
    'access-control-allow-origin': isAny ? '*' : asked.origin,
    ...(!isAny && { 'access-control-allow-credentials': 'true' }),
    'access-control-allow-methods': allowedMethods.join(', '),
    ...(asked.headers.length > 0 && { 'access-control-allow-headers': asked.headers.join(', ') }),
    ...(exposeHeaders.length > 0 && { 'access-control-expose-headers': exposeHeaders.join(', ') }),
    ...(maxAgeSeconds !== null && { 'access-control-max-age': String(maxAgeSeconds) }),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  }
}

function matches({ allowedOrigins, allowedMethods, allowedHeaders }: CorsRule, { origin, method, headers }: Asked) {
  return (
    allowedMethods.includes(method) &&
    allowedOrigins.some((pattern) => fits(pattern, origin)) &&
    headers.every((name) => allowedHeaders.some((pattern) => fits(pattern.toLowerCase(), name)))
  )
}

function fits(pattern: string, text: string): boolean {
  const [start = '', end] = pattern.split('*')
  if (end === undefined) return pattern === text
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end)
}
