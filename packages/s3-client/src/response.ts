/**
 * An answer of the store that is no success. `name` is S3's code, e.g. `NoSuchKey`; of a 404 to HEAD, which has no body,
 * `NotFound`. Without a code it is `Http` and the status.
 */
export class S3Error extends Error {
  readonly status: number

  constructor(code: string, message: string, status: number) {
    super(message)
    this.name = code
    this.status = status
  }

  /** The store did not say it: whatever stands in front of it may have. */
  get isAnonymous(): boolean {
    return this.name === `Http${this.status}`
  }
}

const MESSAGE_MAX = 200

/** The error in the body of an answer to a request of this method, or what its status alone says. */
export function readError(method: string, status: number, body: string): S3Error {
  const [error = ''] = elementsOf(body, 'Error')
  const code = textOf(error, 'Code') ?? (method === 'HEAD' && status === 404 ? 'NotFound' : `Http${status}`)
  const message = textOf(error, 'Message') ?? `The store answered ${status}`
  return new S3Error(code.slice(0, MESSAGE_MAX), message.slice(0, MESSAGE_MAX), status)
}

/** An answer that cannot be read; counts as the store's failure. */
export function malformed(what: string): S3Error {
  return new S3Error('MalformedAnswer', `The store's answer ${what}`, 502)
}

export interface Answer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

/** Reads what is inside the root; an answer that is cut off, or is something else, is none. */
export function documentOf(root: string) {
  return ({ body }: Pick<Answer, 'body'>): string => {
    for (const inner of elementsOf(body, root)) return inner
    throw malformed(`is no ${root}`)
  }
}

/** A part that the store has. */
export interface StoredPart {
  partNumber: number
  etag: string
  /** Base64 of its SHA-256, where the upload was begun with checksums. */
  checksumSha256?: string
}

/** Of the answer to a begun multipart upload. */
export function readUploadId(answer: Answer): string {
  const uploadId = textOf(documentOf('InitiateMultipartUploadResult')(answer), 'UploadId')
  if (!uploadId) throw malformed('has no upload id')
  return uploadId
}

/** What asks for an object of these parts. */
export function completionOf(parts: readonly StoredPart[]): string {
  const listed = parts.map(({ partNumber, etag, checksumSha256 }) => {
    const checksum = checksumSha256 === undefined ? '' : `<ChecksumSHA256>${checksumSha256}</ChecksumSHA256>`
    return `<Part><ETag>${escapeText(etag)}</ETag><PartNumber>${partNumber}</PartNumber>${checksum}</Part>`
  })
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'
  return `<CompleteMultipartUpload xmlns="${namespace}">${listed.join('')}</CompleteMultipartUpload>`
}

/**
 * Reads the flat documents that S3 answers with: elements by name, wherever they stand, without namespaces, comments or
 * CDATA, none of which S3 or its kin write. What is not there is undefined; nothing is ever resolved or expanded.
 */

/** The text of the first element of this name. */
export function textOf(xml: string, name: string): string | undefined {
  for (const inner of elementsOf(xml, name)) return decode(inner)
  return undefined
}

/** What is inside each element of this name, in order. */
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

/** Escapes text that goes into an element. */
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
