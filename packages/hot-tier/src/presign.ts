import { bucketAddress, type Credentials, createSigner } from '@tideport/s3-client/signature'
import type { HotTierConfig } from './store-calls.ts'

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

export interface ObjectUrl {
  key: string
  mimeType: string
  sizeBytes: number
  expiresSeconds: number
  /** As of a part's. */
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

/** Presigned URLs for clients, at the address clients use. */
export function createPresigner(config: HotTierConfig, credentials: () => Promise<Credentials>) {
  const { s3Region: region, s3Bucket: bucket, s3ForcePathStyle: forcePathStyle } = config
  const endpoint = config.s3PublicEndpoint ?? config.s3Endpoint
  const { origin, host, pathOf } = bucketAddress({ endpoint, region, bucket, forcePathStyle })
  const signer = createSigner(region)

  return {
    /** A PUT of one part; Content-Type and Content-Length are signed, so the store refuses any other. */
    async part(part: PartUrl): Promise<string> {
      const headers = { host, 'content-type': part.mimeType, 'content-length': String(part.sizeBytes) }
      const query = { partNumber: String(part.partNumber), uploadId: part.uploadId, 'x-id': 'UploadPart' }
      const request = { method: 'PUT', path: pathOf(part.key), query, headers }
      return origin + signer.presign(request, await credentials(), part.signedAt, part.expiresSeconds)
    },

    /**
     * A PUT of a whole object that is not there yet. If-None-Match is signed too, so that the store refuses whoever
     * leaves it out.
     */
    async object({ key, mimeType, sizeBytes, expiresSeconds, signedAt }: ObjectUrl): Promise<string> {
      const signed = { 'content-type': mimeType, 'content-length': String(sizeBytes), 'if-none-match': '*' }
      const request = { method: 'PUT', path: pathOf(key), query: { 'x-id': 'PutObject' }, headers: { host, ...signed } }
      return origin + signer.presign(request, await credentials(), signedAt, expiresSeconds)
    },

    /** A GET whose answer carries the file's own type and disposition. */
    async download({ key, mimeType, disposition, expiresSeconds, signedAt }: DownloadUrl): Promise<string> {
      const query = {
        'response-content-type': mimeType,
        'response-content-disposition': disposition,
        'x-id': 'GetObject',
      }
      const request = { method: 'GET', path: pathOf(key), query, headers: { host } }
      return origin + signer.presign(request, await credentials(), signedAt, expiresSeconds)
    },
  }
}

/** When a URL ends that was signed at `signedAt`: signatures know whole seconds only. */
export function expiryOf(signedAt: Date, lifetimeSeconds: number): Date {
  return new Date((Math.floor(signedAt.getTime() / 1000) + lifetimeSeconds) * 1000)
}
