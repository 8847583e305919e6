import type { S3Client } from '@aws-sdk/client-s3'
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner'
import { HttpRequest } from '@smithy/protocol-http'
import type { HotTierConfig } from './hot-tier-config.ts'

export interface PartUrl {
  key: string
  uploadId: string
  partNumber: number
  mimeType: string
  sizeBytes: number
  expiresSeconds: number
  /** When the URL's life begins: a `now()` of the database, so that the process's clock does not matter. */
  signedAt: Date
}

export interface DownloadUrl {
  key: string
  mimeType: string
  /** A whole Content-Disposition value. */
  disposition: string
  expiresSeconds: number
  /** When the URL's life begins: the `now()` that the file's row was read with. */
  signedAt: Date
}

/**
 * Presigned URLs for clients, at the address clients use. Signs a bare `HttpRequest` rather than a command through
 * `getSignedUrl`, which costs four times as much CPU (docs/adr/0003).
 */
export function createPresigner(config: HotTierConfig, { credentials, sha256 }: S3Client['config']) {
  const signer = new S3RequestPresigner({ credentials, sha256, region: config.s3Region })
  const { origin, objectPath } = addressOf(config)

  async function presign(request: HttpRequest, options: Parameters<typeof signer.presign>[1]): Promise<string> {
    const signed = await signer.presign(request, options)
    const query = Object.entries(signed.query ?? {}).map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
    return `${origin.protocol}//${origin.host}${signed.path}?${query.join('&')}`
  }

  function request(method: string, key: string, headers: Record<string, string>, query: Record<string, string>) {
    return new HttpRequest({
      method,
      protocol: origin.protocol,
      hostname: origin.hostname,
      ...(origin.port && { port: Number(origin.port) }),
      path: objectPath(key),
      headers: { host: origin.host, ...headers },
      query,
    })
  }

  return {
    /** A PUT of one part; Content-Type and Content-Length are signed, so the store refuses any other. */
    part: ({ key, uploadId, partNumber, mimeType, sizeBytes, expiresSeconds, signedAt }: PartUrl): Promise<string> =>
      presign(
        request(
          'PUT',
          key,
          { 'content-type': mimeType, 'content-length': String(sizeBytes) },
          { partNumber: String(partNumber), uploadId, 'x-id': 'UploadPart' },
        ),
        {
          expiresIn: expiresSeconds,
          signingDate: signedAt,
          signableHeaders: new Set(['host', 'content-type', 'content-length']),
        },
      ),

    /** A GET whose answer carries the file's own type and disposition. */
    download: ({ key, mimeType, disposition, expiresSeconds, signedAt }: DownloadUrl): Promise<string> =>
      presign(
        request(
          'GET',
          key,
          {},
          { 'response-content-type': mimeType, 'response-content-disposition': disposition, 'x-id': 'GetObject' },
        ),
        { expiresIn: expiresSeconds, signingDate: signedAt },
      ),
  }
}

function addressOf(config: HotTierConfig): { origin: URL; objectPath: (key: string) => string } {
  const endpoint = config.s3PublicEndpoint ?? config.s3Endpoint ?? `https://s3.${config.s3Region}.amazonaws.com`
  const origin = new URL(endpoint)
  const base = origin.pathname.replace(/\/$/, '')
  const bucketPath = config.s3ForcePathStyle ? `${base}/${config.s3Bucket}` : base
  if (!config.s3ForcePathStyle) origin.hostname = `${config.s3Bucket}.${origin.hostname}`
  return { origin, objectPath: (key) => `${bucketPath}/${key.split('/').map(encode).join('/')}` }
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
