/** Response headers, as OpenAPI components. */
export const responseHeaders = {
  'X-Request-Id': header('Names this request; sent back when the request had one'),
  'RateLimit-Limit': header('Requests that may be made at once', 'integer'),
  'RateLimit-Remaining': header('Requests left right now; a call may cost several', 'integer'),
  'RateLimit-Reset': header('Seconds until all of them are there again', 'integer'),
  'Retry-After': header('Seconds to wait before asking again', 'integer'),
  'WWW-Authenticate': header('Always `Bearer`'),
  ETag: header('Strong; names these very bytes'),
  'Accept-Ranges': header('Always `bytes`'),
  'Content-Range': header('Which bytes these are, e.g. `bytes 0-99/1000`'),
  'Content-Length': header('Bytes of the body', 'integer'),
  'Content-Disposition': header('Inline or attachment, with the file’s name (RFC 6266)'),
  'Last-Modified': header('When the file was confirmed'),
  Location: header('Where the bytes are, for a few minutes'),
  'Cache-Control': header('How long the answer may be kept'),
} as const

export type ResponseHeader = keyof typeof responseHeaders

/** The `headers` member of a response. */
export function headers(...names: ResponseHeader[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Request headers that matter to answers made of bytes. */
export const byteRequestHeaders = [
  requestHeader('Range', 'One range, e.g. `bytes=0-99`', false),
  requestHeader('If-None-Match', 'Answers 304 when the ETag still holds', false),
  requestHeader('If-Range', 'Honours `Range` only when the ETag still holds', false),
]

/** Headers of a webhook delivery (spec §6, docs/api.md §6). */
export const deliveryHeaders = [
  requestHeader('X-Service-Signature', 'Lowercase hex HMAC-SHA-256 of the body, keyed with the secret as given'),
  requestHeader('webhook-id', 'The event’s id, the same on every retry: drop what was seen before'),
  requestHeader('webhook-timestamp', 'When this attempt was signed, in Unix seconds'),
  requestHeader('webhook-signature', 'Standard Webhooks signature: `v1,` and base64, space-separated when several'),
  requestHeader('X-Service-Delivery-Id', 'The delivery, as in its history'),
]

function header(description: string, type: 'string' | 'integer' = 'string') {
  return { description, schema: { type } }
}

function requestHeader(name: string, description: string, required = true) {
  return { name, in: 'header', description, required, schema: { type: 'string' } }
}
