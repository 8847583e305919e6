import { createHmac, timingSafeEqual } from 'node:crypto'
import type { download } from '@tideport/contracts/public/downloads'
import { essenceOf } from '@tideport/contracts/public/mime-type'
import { isInHotTier } from '@tideport/file-lifecycle/copies/open-bytes'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { expiryOf, type HotTier } from '@tideport/hot-tier/hot-tier'
import { AppError } from '@tideport/service-kit/process/app-error'
import { create as createDisposition } from 'content-disposition'
import type { z } from 'zod'
import type { FilesConfig } from '../config.ts'
import type { FileSeen } from '../lookups/find-file.ts'

export interface DownloadDeps {
  hotTier: HotTier
  config: Pick<FilesConfig, 'publicUrl' | 'downloadTokenKeys' | 'downloadUrlSeconds'>
}

/**
 * Returns a presigned URL while the hot copy is certain to exist until the URL expires, otherwise a service URL. Throws
 * 410 when the file has no bytes, and the errors of `beforehand`.
 */
export async function downloadTarget(
  { hotTier, config }: DownloadDeps,
  file: FileSeen,
  beforehand: () => Promise<void>,
  disposition?: 'attachment',
): Promise<z.output<typeof download>> {
  const expiresAt = expiryOf(file.seenAt, config.downloadUrlSeconds)
  if (!hasBytes(file)) {
    throw new AppError('content_lost', 'The content of this file is lost')
  }
  await beforehand()
  if (mayPresign(file)) {
    const downloadUrl = await presignHotUrl(hotTier, file, config, disposition)
    return { downloadUrl, expiresAt: expiresAt.toISOString(), source: 'hot' }
  }
  const token = signDownload(config.downloadTokenKeys, file.id, expiresAt)
  const query = new URLSearchParams({ ...token, ...(disposition && { disposition }) })
  const downloadUrl = `${config.publicUrl}/api/downloads/${file.id}?${query}`
  const isEmptyHot = file.sizeBytes === 0 && isInHotTier(file)
  return { downloadUrl, expiresAt: expiresAt.toISOString(), source: isEmptyHot ? 'hot' : 'network' }
}

export function hasBytes(file: FileSeen): boolean {
  return isInHotTier(file) || file.syncedAt !== null
}

/**
 * A presigned URL has to work until it expires, so none is issued after eviction has begun or failed
 * (docs/explain/life-of-a-file.md §6). A missing object is looked up when a service URL is used. Stores refuse ranges of
 * empty objects.
 */
export function mayPresign(file: FileRow): boolean {
  if (file.sizeBytes === 0 || !isInHotTier(file) || file.evictingAt !== null) return false
  return file.status !== 'error' || (file.syncedAt === null && !objectMissing.includes(file.errorCode))
}

const objectMissing: readonly (string | null)[] = ['hot_copy_missing', 'content_lost']

export async function presignHotUrl(
  hotTier: HotTier,
  file: FileSeen,
  { downloadUrlSeconds }: { downloadUrlSeconds: number },
  disposition?: 'attachment',
): Promise<string> {
  if (file.hotKey === null) throw new Error('The file has no hot copy')
  return await hotTier.presignDownload({
    key: file.hotKey,
    mimeType: file.mimeType,
    disposition: contentDisposition(file, disposition),
    expiresSeconds: downloadUrlSeconds,
    signedAt: file.seenAt,
  })
}

/** Types that no browser executes. Excludes SVG and markup. */
const safeInline =
  /^(?:image\/(?:apng|avif|bmp|gif|heic|heif|jpeg|jxl|png|tiff|webp|x-icon|vnd\.microsoft\.icon)|(?:audio|video)\/(?!.*\+xml$)[^;]+|application\/pdf|text\/plain)$/

/** Names that all header parsers understand. */
const plainName = /^[\w.-]+(?: [\w.-]+)*$/

/**
 * `Content-Disposition` by RFC 6266 and 8187, inline only for safe types. Names that browsers would decode, such as
 * `=?utf-8?Q?…?=`, are only in `filename*`.
 */
export function contentDisposition(
  { name, mimeType }: { name: string; mimeType: string },
  wanted?: 'attachment',
): string {
  const fallback = plainName.test(name) ? name : name.replace(/[^\w.-]/g, '_')
  const type = wanted ?? (safeInline.test(essenceOf(mimeType)) ? 'inline' : 'attachment')
  return createDisposition(name, { type, fallback })
}

/** Headers for untrusted bytes: the stored type, no sniffing, no scripts. */
export function contentHeaders(
  file: { name: string; mimeType: string },
  disposition?: 'attachment',
): Record<string, string> {
  return {
    'content-type': file.mimeType,
    'content-disposition': contentDisposition(file, disposition),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  }
}

/** The query of a service URL (docs/explain/life-of-a-file.md §8). `expires`: Unix seconds. */
export interface DownloadToken {
  expires: string
  signature: string
}

/** Signs with the first key. The purpose is signed too, so no other token can replace this one. */
export function signDownload(keys: readonly Buffer[], fileId: string, expiresAt: Date): DownloadToken {
  const [key] = keys
  if (key === undefined) throw new Error('No key to sign download URLs is configured')
  const expires = String(Math.floor(expiresAt.getTime() / 1000))
  return { expires, signature: macOf(key, fileId, expires) }
}

/** Does not check the expiry. */
export function isSignedDownload(keys: readonly Buffer[], fileId: string, token: DownloadToken): boolean {
  const given = Buffer.from(token.signature)
  return keys.some((key) => {
    const wanted = Buffer.from(macOf(key, fileId, token.expires))
    return wanted.length === given.length && timingSafeEqual(wanted, given)
  })
}

export function hasExpired({ expires }: DownloadToken, now: Date): boolean {
  return now.getTime() >= Number(expires) * 1000
}

function macOf(key: Buffer, fileId: string, expires: string): string {
  return createHmac('sha256', key).update(['download', fileId, expires].join('\n')).digest('base64url')
}
