export const responseHeaders = {
  'X-Request-Id': header('ID of this request; the gateway returns a valid ID of the client'),
  'RateLimit-Limit': header('Requests allowed in a burst', 'integer'),
  'RateLimit-Remaining': header('Remaining requests; some calls cost more than one', 'integer'),
  'RateLimit-Reset': header('Seconds until the full burst is available again', 'integer'),
  'Retry-After': header('Seconds to wait before the next request', 'integer'),
  'WWW-Authenticate': header('Always `Bearer`'),
  ETag: header('Strong validator of these bytes'),
  'Accept-Ranges': header('Always `bytes`'),
  'Content-Range': header('Range of the returned bytes, e.g. `bytes 0-99/1000`'),
  'Content-Length': header('Size of the body in bytes', 'integer'),
  'Content-Disposition': header('Inline or attachment, with the file’s name (RFC 6266)'),
  'Last-Modified': header('When the file was confirmed'),
  Location: header('The next page, or a URL of the bytes that is valid for a few minutes'),
  'Set-Cookie': header('Proves that the client sent the password of this link'),
  'Cache-Control': header('Caching rules of the response'),
} as const

type ResponseHeader = keyof typeof responseHeaders

export function headers(...names: ResponseHeader[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

export const byteRequestHeaders = [
  requestHeader('Range', 'A single range, e.g. `bytes=0-99`', false),
  requestHeader('If-Match', 'Responds 412 unless the ETag matches', false),
  requestHeader('If-None-Match', 'Responds 304 if the ETag still matches', false),
  requestHeader('If-Range', 'Applies `Range` only if the ETag still matches', false),
]

export const deliveryHeaders = [
  requestHeader('X-Service-Signature', 'HMAC-SHA-256 of the body in lower-case hex, with the secret as text'),
  requestHeader('webhook-id', 'The event’s ID, the same on every attempt; use it to ignore duplicates'),
  requestHeader('webhook-timestamp', 'Time of the signature of this attempt, in Unix seconds'),
  requestHeader('webhook-signature', 'Standard Webhooks signature: `v1,` and base64; several are separated by spaces'),
  requestHeader('X-Service-Delivery-Id', 'ID of the delivery in the delivery log'),
]

function header(description: string, type: 'string' | 'integer' = 'string') {
  return { description, schema: { type } }
}

function requestHeader(name: string, description: string, required = true) {
  return { name, in: 'header', description, required, schema: { type: 'string' } }
}
