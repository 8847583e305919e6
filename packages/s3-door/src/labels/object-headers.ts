import { checksumHeaders } from '../checksums/show-checksums.ts'
import type { ObjectView } from '../files-port.ts'
import { metadataHeaders, toHeader } from './metadata.ts'

export function quoted(etag: string): string {
  return `"${etag}"`
}

export function storageClassOf({ isHot }: Pick<ObjectView, 'isHot'>): string {
  return isHot ? 'STANDARD' : 'GLACIER_IR'
}

/** The headers of GET and HEAD that describe the object, without those of the body. */
export function objectHeaders(
  object: ObjectView,
  { withChecksums }: { withChecksums: boolean },
): Record<string, string> {
  const { etag, lastModified, mimeType, headers, metadata, tagCount, digests, digestType } = object
  return {
    ...metadataHeaders(metadata),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, toHeader(value)])),
    'content-type': toHeader(mimeType),
    etag: quoted(etag),
    'last-modified': new Date(lastModified).toUTCString(),
    'accept-ranges': 'bytes',
    ...(tagCount > 0 && { 'x-amz-tagging-count': String(tagCount) }),
    'x-amz-storage-class': storageClassOf(object),
    ...restoreHeader(object),
    ...(withChecksums && checksumHeaders(digests, digestType)),
  }
}

function restoreHeader({ restore }: ObjectView): Record<string, string> {
  if (restore === null) return {}
  const until = restore.until === null ? '' : `, expiry-date="${new Date(restore.until).toUTCString()}"`
  return { 'x-amz-restore': `ongoing-request="${restore.isOngoing}"${restore.isOngoing ? '' : until}` }
}
