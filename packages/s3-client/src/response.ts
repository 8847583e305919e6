/**
 * `name`: S3's code, such as `NoSuchKey`; `NotFound` for a 404 to HEAD, which has no body; else `Http` and the status.
 */
export class S3Error extends Error {
  readonly status: number

  constructor(code: string, message: string, status: number) {
    super(message)
    this.name = code
    this.status = status
  }

  /** The response may come from another responder, such as a proxy. */
  get isAnonymous(): boolean {
    return this.name === `Http${this.status}`
  }
}

const MESSAGE_MAX = 200

/** The error in the body, or of the status. */
export function readError(method: string, status: number, body: string): S3Error {
  const [error = ''] = elementsOf(body, 'Error')
  const code = textOf(error, 'Code') ?? (method === 'HEAD' && status === 404 ? 'NotFound' : `Http${status}`)
  const message = textOf(error, 'Message') ?? `The store returned status ${status}`
  return new S3Error(code.slice(0, MESSAGE_MAX), message.slice(0, MESSAGE_MAX), status)
}

/** An unreadable response counts as a failure of the store. */
export function malformed(what: string): S3Error {
  return new S3Error('MalformedAnswer', `The response of the store ${what}`, 502)
}

export interface Answer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

/** Reads the content of the root element. Throws `malformed` for a truncated or different document. */
export function documentOf(root: string) {
  return ({ body }: Pick<Answer, 'body'>): string => {
    for (const inner of elementsOf(body, root)) return inner
    throw malformed(`is not a complete ${root} document`)
  }
}

export interface StoredPart {
  partNumber: number
  etag: string
  /** Base64, if the upload began with checksums. */
  checksumSha256?: string
}

export function readUploadId(answer: Answer): string {
  const uploadId = textOf(documentOf('InitiateMultipartUploadResult')(answer), 'UploadId')
  if (!uploadId) throw malformed('has no upload ID')
  return uploadId
}

/** The request that completes an upload. */
export function completionOf(parts: readonly StoredPart[]): string {
  const listed = parts.map(({ partNumber, etag, checksumSha256 }) => {
    const checksum = checksumSha256 === undefined ? '' : `<ChecksumSHA256>${checksumSha256}</ChecksumSHA256>`
    return `<Part><ETag>${escapeText(etag)}</ETag><PartNumber>${partNumber}</PartNumber>${checksum}</Part>`
  })
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'
  return `<CompleteMultipartUpload xmlns="${namespace}">${listed.join('')}</CompleteMultipartUpload>`
}

/**
 * Reads S3's flat documents: elements by name at any depth, without namespaces, comments, or CDATA, which stores do not
 * write. Resolves and expands nothing.
 */

export function textOf(xml: string, name: string): string | undefined {
  for (const inner of elementsOf(xml, name)) return decode(inner)
  return undefined
}

export function* elementsOf(xml: string, name: string): Generator<string> {
  const closing = `</${name}>`
  for (let at = xml.indexOf(`<${name}`); at !== -1; at = xml.indexOf(`<${name}`, at)) {
    const tagEnd = xml.indexOf('>', at)
    const next = xml.charCodeAt(at + name.length + 1)
    if (tagEnd === -1) return
    at = tagEnd + 1
    if (!endsName.has(next)) continue
    if (xml.charCodeAt(tagEnd - 1) === SLASH) {
      yield ''
      continue
    }
    const end = xml.indexOf(closing, at)
    if (end === -1) return
    yield xml.slice(at, end)
    at = end + closing.length
  }
}

export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (one) => (one === '&' ? '&amp;' : one === '<' ? '&lt;' : '&gt;'))
}

const SLASH = 0x2f
const endsName = new Set([...'> \t\r\n/'].map((one) => one.charCodeAt(0)))
const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[name] ?? whole
    const code = Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
