import { isBlobId, isReference } from '../copy-name.ts'
import type { CopyName } from '../storage-network.ts'
import { hasSidecar } from '../verified/sidecar.ts'

/** Who names a copy; without `ref` what is under its keys now is meant. */
export type Named = Pick<CopyName, 'blobId' | 'reference'> & { ref?: Record<string, string> }

/** An object, or one version of it. */
export interface ObjectName {
  key: string
  versionId: string | undefined
}

export const MARKER_KEY = 'tideport-network.json'
/** Open uploads are found below it. */
export const CONTENT_PREFIX = 'content/'

/**
 * The bytes of a copy. Those of one leaf lie under `<blob id>/<reference>`. Larger ones are uploaded before their blob id
 * is known, and S3 renames nothing, so they lie under `content/<reference>`.
 */
export function contentOf({ blobId, reference, ref }: Named): ObjectName {
  const key = hasSidecar(blobId) ? contentKey(reference) : `${blobId}/${reference}`
  return { key, versionId: ref?.version }
}

export const contentKey = (reference: string): string => `${CONTENT_PREFIX}${reference}`

/** The tree that proves the bytes of a copy of several leaves. Any version that verifies is as good: it may be mended. */
export function treeOf({ blobId, reference }: Named): ObjectName {
  return { key: `${blobId}/${reference}.dag`, versionId: undefined }
}

/** Everything that a copy is. */
export function objectsOf(copy: Named): ObjectName[] {
  return hasSidecar(copy.blobId) ? [contentOf(copy), treeOf(copy)] : [contentOf(copy)]
}

/** Whose copy an object under a blob id is, or part of; null for any other object. */
export function copyOf(key: string): Named | null {
  const [blobId = '', name = '', ...more] = key.split('/')
  if (more.length > 0 || !isBlobId(blobId)) return null
  const reference = hasSidecar(blobId) ? /^(.+)\.dag$/.exec(name)?.[1] : name
  return reference !== undefined && isReference(reference) ? { blobId, reference } : null
}
