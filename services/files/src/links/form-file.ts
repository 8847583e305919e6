import { isUtf8 } from 'node:buffer'
import { MIMEType } from 'node:util'
import { decodeExtended, parse } from 'content-disposition'

/** A file of a form, as the browser tells of it. */
export interface FormFile {
  name: string
  mimeType: string
  bytes: Buffer
}

const HEAD_BYTES_MAX = 8192
/** A body of nothing but parts would keep everybody else in this process waiting for seconds. */
const PARTS_MAX = 100

/** The boundary of multipart/form-data (RFC 7578). Null: it is no such type. */
export function boundaryOf(contentType = ''): string | null {
  try {
    const { essence, params } = new MIMEType(contentType)
    const boundary = params.get('boundary') ?? ''
    return essence === 'multipart/form-data' && /^[\x20-\x7e]{1,70}$/.test(boundary) ? boundary : null
  } catch {
    return null
  }
}

/**
 * The first part that is a file, of a whole body. Null: there is none among the first parts, or it is no such body. Its
 * bytes are not copied.
 */
export function firstFile(body: Buffer, boundary: string): FormFile | null {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first one needs no line before it.
  let at = body.indexOf(delimiter.subarray(2)) === 0 ? delimiter.length - 2 : endOf(body, delimiter, 0)
  for (let part = 0; part < PARTS_MAX && at !== -1 && body.toString('latin1', at, at + 2) === '\r\n'; part += 1) {
    const headEnd = body.indexOf('\r\n\r\n', at)
    if (headEnd === -1 || headEnd - at > HEAD_BYTES_MAX) return null
    const bytesEnd = body.indexOf(delimiter, headEnd + 4)
    // Headers that are empty end where they begin.
    if (bytesEnd === -1) return null
    const head = textOf(body.subarray(at, headEnd))
    const name = nameIn(head)
    if (name !== null) return { name, mimeType: typeIn(head), bytes: body.subarray(headEnd + 4, bytesEnd) }
    at = bytesEnd + delimiter.length
  }
  return null
}

function endOf(body: Buffer, delimiter: Buffer, from: number): number {
  const at = body.indexOf(delimiter, from)
  return at === -1 ? -1 : at + delimiter.length
}

/** The last segment of a file's name; null for a part that is not a file. A sender may give a path on its own disk. */
function nameIn(head: string): string | null {
  // Browsers escape a quote as %22, curl before 7.81 as \".
  const written = headerIn(head, 'content-disposition').replace(/\\(["\\])/g, (_, char) =>
    char === '"' ? '%22' : char,
  )
  const { filename, 'filename*': extended = '' } = parse(written, { multipart: true, extended: false }).parameters
  const name = decodeExtended(extended) ?? (filename === undefined ? undefined : decodeWords(filename))
  return name?.split(/[/\\]/).at(-1) ?? null
}

const typeIn = (head: string) => headerIn(head, 'content-type') || 'application/octet-stream'

function headerIn(head: string, name: string): string {
  const [, value = ''] = new RegExp(`\r\n${name}:([^\r]*)`, 'i').exec(head) ?? []
  return value.trim()
}

/** Folded lines as one line. Old programs send Latin-1. */
function textOf(head: Buffer): string {
  return head.toString(isUtf8(head) ? 'utf8' : 'latin1').replace(/\r\n[ \t]+/g, ' ')
}

const encodedWord = /=\?([\w-]+)(?:\*[\w-]*)?\?([bq])\?([!->@-~]*)\?=(?:\s+(?==\?[\w*-]+\?[bq]\?))?/gi

/** PowerShell and .NET write names beyond ASCII as encoded words (RFC 2047). A word that cannot be decoded is kept. */
function decodeWords(name: string): string {
  return name.replace(encodedWord, (word, charset: string, encoding: string, text: string) => {
    const bytes = /b/i.test(encoding) ? Buffer.from(text, 'base64') : Buffer.from(unescapeWord(text), 'latin1')
    try {
      return new TextDecoder(charset, { fatal: true }).decode(bytes)
    } catch {
      return word
    }
  })
}

function unescapeWord(text: string): string {
  const spaced = text.replaceAll('_', ' ')
  return spaced.replace(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
