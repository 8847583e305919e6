import { isIP } from 'node:net'
import { encodePath } from './signature.ts'

export interface BucketLocation {
  /** `https://s3.<region>.amazonaws.com` unless told; may have a path. */
  endpoint?: string | undefined
  region: string
  bucket: string
  /**
   * `<endpoint>/<bucket>/<key>` rather than `<bucket>.<endpoint>/<key>`; so it is as well where no host can be named
   * so.
   */
  forcePathStyle: boolean
}

export interface BucketAddress {
  /** `https://host:port`. */
  origin: string
  /** With the port where it is not the protocol's own. */
  host: string
  /** The path of an object; of the bucket without a key. */
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

/** A dot would leave what a wildcard certificate covers. */
const HOST_LABEL = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/

function awsEndpoint(region: string): string {
  return `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}
