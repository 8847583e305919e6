import { createHmac, timingSafeEqual } from 'node:crypto'
import type { download } from '@tideport/contracts/public/files'
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
 * A URL for the bytes of a confirmed file: a presigned one while the hot copy is sure to outlive it, else one of ours.
 * Throws 410 when there are none, and what `beforehand` does of a file whose bytes are there.
 */
export async function downloadTarget(
  { hotTier, config }: DownloadDeps,
  file: FileSeen,
  beforehand: () => Promise<void>,
  disposition?: 'attachment',
): Promise<z.output<typeof download>> {
  const expiresAt = expiryOf(file.seenAt, config.downloadUrlSeconds)
  if (!hasBytes(file)) {
    throw new AppError('content_lost', 'The bytes of this file are lost')
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

/** Whether a confirmed file's bytes are, or were last, anywhere. */
export function hasBytes(file: FileSeen): boolean {
  return isInHotTier(file) || file.syncedAt !== null
}

/**
 * Whether a presigned URL may be issued: it has to work until it expires, so never once eviction has begun, nor after
 * it failed (docs/file-lifecycle.md §6). An error of a file that was synced comes from eviction. Where the object was
 * not found we look again when the URL is used, and can say so; the store cannot. It also refuses any range of an empty
 * object.
 */
export function mayPresign(file: FileRow): boolean {
  if (file.sizeBytes === 0 || !isInHotTier(file) || file.evictingAt !== null) return false
  return file.status !== 'error' || (file.syncedAt === null && !objectMissing.includes(file.errorCode))
}

const objectMissing: readonly (string | null)[] = ['hot_copy_missing', 'content_lost']

/** A presigned GET with the file's own type and name. Its life counts from when the row was read. */
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

/** Types that no browser runs as a program on our origin; SVG and everything with markup is not among them. */
const safeInline =
  /^(?:image\/(?:apng|avif|bmp|gif|heic|heif|jpeg|jxl|png|tiff|webp|x-icon|vnd\.microsoft\.icon)|(?:audio|video)\/(?!.*\+xml$)[^;]+|application\/pdf|text\/plain)$/

/** Names that every reader of a header understands in the same way. */
const plainName = /^[\w.-]+(?: [\w.-]+)*$/

/**
 * `Content-Disposition` by RFC 6266 and 8187 with the Unicode name; inline only where that is safe. What browsers would
 * make something else of, such as encoded words (`=?utf-8?Q?…?=`), goes into `filename*` alone, which they prefer.
 */
export function contentDisposition(
  { name, mimeType }: { name: string; mimeType: string },
  wanted?: 'attachment',
): string {
  const fallback = plainName.test(name) ? name : name.replace(/[^\w.-]/g, '_')
  const type = wanted ?? (safeInline.test(essenceOf(mimeType)) ? 'inline' : 'attachment')
  return createDisposition(name, { type, fallback })
}

/** Headers that let strangers' bytes be served from our origin: the type is the record's, nothing is sniffed or run. */
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

/** The query of a service URL for a file's bytes (docs/file-lifecycle.md §8). `expires` is Unix seconds. */
export interface DownloadToken {
  expires: string
  signature: string
}

/** Signs with the first key. The purpose is part of what is signed, so no other token can stand in for this one. */
export function signDownload(keys: readonly Buffer[], fileId: string, expiresAt: Date): DownloadToken {
  const [key] = keys
  if (key === undefined) throw new Error('There is no key to sign downloads with')
  const expires = String(Math.floor(expiresAt.getTime() / 1000))
  return { expires, signature: macOf(key, fileId, expires) }
}

/** Whether one of the keys signed this token for this file. Says nothing of its expiry. */
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
