import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'

export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

/** The request as it will be sent, except `query`, which the signer encodes. */
export interface Signable {
  method: string
  /** Encoded by `encodePath`. */
  path: string
  /** Not encoded. */
  query: Readonly<Record<string, string>>
  /** By lower-case names, including `host`. All are signed. */
  headers: Readonly<Record<string, string>>
}

export interface SignedRequest {
  /** `path?query`. */
  path: string
  headers: Record<string, string>
}

export interface Signer {
  /** `payloadSha256`: hex. */
  sign(request: Signable, credentials: Credentials, at: Date, payloadSha256: string): SignedRequest
  /** A `path?query` that permits the request from `at` for `expiresSeconds`, with any body. */
  presign(request: Signable, credentials: Credentials, at: Date, expiresSeconds: number): string
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

/** AWS Signature Version 4 for S3. Caches the derived key. */
export function createSigner(region: string): Signer {
  let known: { secret: string; day: string; key: KeyObject } | undefined

  // A key object, because Node converts a key in bytes to one on each use, which takes six times as long as the HMAC.
  function signingKey(secret: string, day: string): KeyObject {
    if (known?.secret !== secret || known.day !== day) {
      const key = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secret}`) as Buffer
      known = { secret, day, key: createSecretKey(key) }
    }
    return known.key
  }

  function signatureOf(canonicalRequest: string, secret: string, time: string): string {
    const day = time.slice(0, 8)
    const toSign = `${ALGORITHM}\n${time}\n${scopeOf(day)}\n${hash('sha256', canonicalRequest)}`
    return createHmac('sha256', signingKey(secret, day)).update(toSign).digest('hex')
  }

  const scopeOf = (day: string) => `${day}/${region}/s3/aws4_request`

  return {
    sign({ method, path, query, headers }, { accessKeyId, secretAccessKey, sessionToken }, at, payloadSha256) {
      const time = amzTime(at)
      const signed: Record<string, string> = {
        ...headers,
        'x-amz-content-sha256': payloadSha256,
        'x-amz-date': time,
        ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
      }
      const canonicalQuery = encodeQuery(query)
      const { names, lines } = canonicalHeaders(signed)
      const canonical = `${method}\n${path}\n${canonicalQuery}\n${lines}\n${names}\n${payloadSha256}`
      const signature = signatureOf(canonical, secretAccessKey, time)
      const scope = scopeOf(time.slice(0, 8))
      signed.authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
      return { path: canonicalQuery === '' ? path : `${path}?${canonicalQuery}`, headers: signed }
    },

    presign({ method, path, query, headers }, { accessKeyId, secretAccessKey, sessionToken }, at, expiresSeconds) {
      const time = amzTime(at)
      const { names, lines } = canonicalHeaders(headers)
      const canonicalQuery = encodeQuery({
        ...query,
        'X-Amz-Algorithm': ALGORITHM,
        'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
        'X-Amz-Credential': `${accessKeyId}/${scopeOf(time.slice(0, 8))}`,
        'X-Amz-Date': time,
        'X-Amz-Expires': String(expiresSeconds),
        ...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
        'X-Amz-SignedHeaders': names,
      })
      const canonical = `${method}\n${path}\n${canonicalQuery}\n${lines}\n${names}\nUNSIGNED-PAYLOAD`
      return `${path}?${canonicalQuery}&X-Amz-Signature=${signatureOf(canonical, secretAccessKey, time)}`
    },
  }
}

/** RFC 3986: all but letters, digits, and `-._~`. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Keeps slashes. */
export function encodePath(key: string): string {
  return key.split('/').map(encode).join('/')
}

function encodeQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

function canonicalHeaders(headers: Readonly<Record<string, string>>): { names: string; lines: string } {
  const sorted = Object.keys(headers).sort()
  const lines = sorted.map((name) => `${name}:${headers[name]?.trim().replace(/\s+/g, ' ')}\n`)
  return { names: sorted.join(';'), lines: lines.join('') }
}

const hmac = (key: Buffer | string, data: string): Buffer => createHmac('sha256', key).update(data).digest()

/** `20260131T235959Z`. */
function amzTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

export interface BucketLocation {
  /** `https://s3.<region>.amazonaws.com` by default; may have a path. */
  endpoint?: string | undefined
  region: string
  bucket: string
  /**
   * `<endpoint>/<bucket>/<key>` instead of `<bucket>.<endpoint>/<key>`; also where the bucket cannot be a host name.
   */
  forcePathStyle: boolean
}

export interface BucketAddress {
  /** `https://host:port`. */
  origin: string
  /** With a port unless it is the default. */
  host: string
  /** Without a key, the path of the bucket. */
  pathOf(key?: string): string
}

export function bucketAddress({ endpoint, region, bucket, forcePathStyle }: BucketLocation): BucketAddress {
  const { protocol, host, hostname, pathname } = new URL(endpoint ?? awsEndpoint(region))
  const base = pathname.replace(/\/$/, '')
  const isInPath = forcePathStyle || !HOST_LABEL.test(bucket) || isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0
  const where = isInPath ? { host, path: `${base}/${bucket}` } : { host: `${bucket}.${host}`, path: base }
  return {
    origin: `${protocol}//${where.host}`,
    host: where.host,
    pathOf: (key) => (key === undefined ? where.path || '/' : `${where.path}/${encodePath(key)}`),
  }
}

/** A dot would leave the range of a wildcard certificate. */
const HOST_LABEL = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/

function awsEndpoint(region: string): string {
  return `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}
