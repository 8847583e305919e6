import { essenceOf } from '@tideport/contracts/public/mime-type'
import { create as createDisposition } from 'content-disposition'

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
