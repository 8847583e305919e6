import { isBlobId, isReference } from '../copy-name.ts'
import type { CopyName } from '../storage-network.ts'
import { hasSidecar } from '../verified/sidecar.ts'

/** The name of a copy. Without `ref`, it means the current objects under its keys. */
export type Named = Pick<CopyName, 'blobId' | 'reference'> & { ref?: Record<string, string> }

export interface ObjectName {
  key: string
  versionId: string | undefined
}

export const MARKER_KEY = 'tideport-network.json'
/** Prefix of open uploads. */
export const CONTENT_PREFIX = 'content/'

/** `<blob id>/<reference>` for one leaf. Longer uploads begin before the blob ID is known: `content/<reference>`. */
export function contentOf({ blobId, reference, ref }: Named): ObjectName {
  const key = hasSidecar(blobId) ? contentKey(reference) : `${blobId}/${reference}`
  return { key, versionId: ref?.version }
}

export const contentKey = (reference: string): string => `${CONTENT_PREFIX}${reference}`

/**
 * The tree that proves the bytes of a copy of several leaves. Any version that verifies will do, because a tree may
 * be repaired.
 */
export function treeOf({ blobId, reference }: Named): ObjectName {
  return { key: `${blobId}/${reference}.dag`, versionId: undefined }
}

export function objectsOf(copy: Named): ObjectName[] {
  return hasSidecar(copy.blobId) ? [contentOf(copy), treeOf(copy)] : [contentOf(copy)]
}

/** The copy that an object under a blob ID belongs to; null for any other object. */
export function copyOf(key: string): Named | null {
  const [blobId = '', name = '', ...more] = key.split('/')
  if (more.length > 0 || !isBlobId(blobId)) return null
  const reference = hasSidecar(blobId) ? /^(.+)\.dag$/.exec(name)?.[1] : name
  return reference !== undefined && isReference(reference) ? { blobId, reference } : null
}
