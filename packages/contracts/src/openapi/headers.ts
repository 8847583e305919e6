export const responseHeaders = {
  'X-Request-Id': header('Identifies this request; the client’s own is echoed'),
  'RateLimit-Limit': header('Requests allowed in a burst', 'integer'),
  'RateLimit-Remaining': header('Requests left right now; some calls cost more than one', 'integer'),
  'RateLimit-Reset': header('Seconds until the full burst is available again', 'integer'),
  'Retry-After': header('Seconds to wait before the next try', 'integer'),
  'WWW-Authenticate': header('Always `Bearer`'),
  ETag: header('Strong validator of these bytes'),
  'Accept-Ranges': header('Always `bytes`'),
  'Content-Range': header('Which bytes these are, e.g. `bytes 0-99/1000`'),
  'Content-Length': header('Size of the body in bytes', 'integer'),
  'Content-Disposition': header('Inline or attachment, with the file’s name (RFC 6266)'),
  'Last-Modified': header('When the file was confirmed'),
  Location: header('The page to open next, or the bytes, where they stay for a few minutes'),
  'Set-Cookie': header('Shows that the password of this link was given'),
  'Cache-Control': header('How long the response may be cached'),
} as const

type ResponseHeader = keyof typeof responseHeaders

export function headers(...names: ResponseHeader[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

export const byteRequestHeaders = [
  requestHeader('Range', 'A single range, e.g. `bytes=0-99`', false),
  requestHeader('If-None-Match', 'Responds 304 if the ETag still matches', false),
  requestHeader('If-Range', 'Applies `Range` only if the ETag still matches', false),
]

export const deliveryHeaders = [
  requestHeader('X-Service-Signature', 'Lowercase hex HMAC-SHA-256 of the body, keyed with the secret as given'),
  requestHeader('webhook-id', 'The event’s id, the same on every retry; use it to drop duplicates'),
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
