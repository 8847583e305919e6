import { createHash, createHmac } from 'node:crypto'

export interface Bucket {
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

const EXPIRES_SECONDS = 3600

/** A presigned URL (signature version 4) for a GET or PUT. The key is plain ASCII. */
export function signUrl({ endpoint, bucket, region, ...own }: Bucket, method: 'GET' | 'PUT', key: string): string {
  const url = new URL(`/${bucket}/${key}`, endpoint)
  const at = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = [at.slice(0, 8), region, 's3', 'aws4_request']
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': [own.accessKeyId, ...scope].join('/'),
    'X-Amz-Date': at,
    'X-Amz-Expires': String(EXPIRES_SECONDS),
    'X-Amz-SignedHeaders': 'host',
  })
  const request = [method, url.pathname, query, `host:${url.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n')
  const text = ['AWS4-HMAC-SHA256', at, scope.join('/'), createHash('sha256').update(request).digest('hex')].join('\n')
  const signingKey = scope.reduce<string | Buffer>((by, part) => hmac(by, part), `AWS4${own.secretAccessKey}`)
  query.set('X-Amz-Signature', hmac(signingKey, text).toString('hex'))
  return `${url}?${query}`
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
