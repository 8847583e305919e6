import { createHash, createHmac } from 'node:crypto'

export interface Bucket {
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

const EXPIRES_SECONDS = 3600

interface Signed {
  /** Lower-case names. */
  headers?: Record<string, string>
  /** Lower-case names in order. */
  query?: Record<string, string>
}

/** A presigned URL (signature version 4) for a GET or PUT. The key is plain ASCII. */
export function signUrl(
  { endpoint, bucket, region, ...own }: Bucket,
  method: 'GET' | 'PUT',
  key: string,
  { headers = {}, query: others = {} }: Signed = {},
): string {
  const url = new URL(`/${bucket}/${key}`, endpoint)
  const at = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = [at.slice(0, 8), region, 's3', 'aws4_request']
  const signed: Record<string, string> = { host: url.host, ...headers }
  const names = Object.keys(signed).toSorted()
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': [own.accessKeyId, ...scope].join('/'),
    'X-Amz-Date': at,
    'X-Amz-Expires': String(EXPIRES_SECONDS),
    'X-Amz-SignedHeaders': names.join(';'),
    ...others,
  })
  const lines = names.map((name) => `${name}:${signed[name]}`)
  const request = [method, url.pathname, query, ...lines, '', names.join(';'), 'UNSIGNED-PAYLOAD'].join('\n')
  const text = ['AWS4-HMAC-SHA256', at, scope.join('/'), createHash('sha256').update(request).digest('hex')].join('\n')
  const signingKey = scope.reduce<string | Buffer>((by, part) => hmac(by, part), `AWS4${own.secretAccessKey}`)
  query.set('X-Amz-Signature', hmac(signingKey, text).toString('hex'))
  return `${url}?${query}`
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
