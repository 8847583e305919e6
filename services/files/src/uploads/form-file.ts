import { isUtf8 } from 'node:buffer'
import { MIMEType } from 'node:util'
import { parse } from 'content-disposition'

export interface FormFile {
  name: string
  mimeType: string
  bytes: Buffer
}

const HEAD_BYTES_MAX = 8192
/** A body of many parts would block the process for seconds. */
const PARTS_MAX = 100

/** The boundary of multipart/form-data (RFC 7578); null: another type. */
export function boundaryOf(contentType = ''): string | null {
  try {
    const { essence, params } = new MIMEType(contentType)
    const boundary = params.get('boundary') ?? ''
    return essence === 'multipart/form-data' && /^[\x20-\x7e]{1,70}$/.test(boundary) ? boundary : null
  } catch {
    return null
  }
}

/** The first file in a form, without copying its bytes; null: none. */
export function firstFile(body: Buffer, boundary: string): FormFile | null {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first delimiter has no line before it.
  let at = body.indexOf(delimiter.subarray(2)) === 0 ? delimiter.length - 2 : endOf(body, delimiter, 0)
  for (let part = 0; part < PARTS_MAX && at !== -1 && body.toString('latin1', at, at + 2) === '\r\n'; part += 1) {
    const headEnd = body.indexOf('\r\n\r\n', at)
    if (headEnd === -1 || headEnd - at > HEAD_BYTES_MAX) return null
    const bytesEnd = body.indexOf(delimiter, headEnd + 4)
    // Empty headers end where they begin.
    if (bytesEnd === -1) return null
    const head = textOf(body.subarray(at, headEnd))
    const name = nameIn(head)
    if (name !== '') return { name, mimeType: typeIn(head), bytes: body.subarray(headEnd + 4, bytesEnd) }
    at = bytesEnd + delimiter.length
  }
  return null
}

function endOf(body: Buffer, delimiter: Buffer, from: number): number {
  const at = body.indexOf(delimiter, from)
  return at === -1 ? -1 : at + delimiter.length
}

/** The last segment of the file name; empty for a field, or an empty file input. */
function nameIn(head: string): string {
  // Browsers escape a quote as %22, curl before 7.81 as \".
  const written = headerIn(head, 'content-disposition').replace(/\\(["\\])/g, (_, char) =>
    char === '"' ? '%22' : char,
  )
  const { parameters } = parse(written, { multipart: true, extended: false })
  const { filename, 'filename*': extended = continuedIn(parameters) } = parameters
  const name = decodeExtended(extended) ?? decodeWords(filename ?? extended.split("'").at(-1) ?? '')
  return name.split(/[/\\]/).at(-1) ?? ''
}

/** A name in several parameters (RFC 2231): `filename*0*=utf-8''a%20; filename*1=b.txt`. */
function continuedIn(parameters: Record<string, string>): string {
  let name = parameters['filename*0'] === undefined ? '' : "utf-8''"
  for (let index = 0; ; index += 1) {
    const plain = parameters[`filename*${index}`]
    const piece = plain === undefined ? parameters[`filename*${index}*`] : encodeURIComponent(plain)
    if (piece === undefined) return name
    name += piece
  }
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
    const bytes = /b/i.test(encoding) ? Buffer.from(text, 'base64') : unescaped(text.replaceAll('_', ' '), '=')
    return decoded(bytes, charset) ?? word
  })
}

/** `utf-8''%C3%BCber.txt` (RFC 8187). */
function decodeExtended(text: string): string | undefined {
  const [, charset, encoded] = /^([^']*)'[^']*'(.*)$/s.exec(text) ?? []
  return encoded === undefined ? undefined : decoded(unescaped(encoded, '%'), charset || 'utf-8')
}

function decoded(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function unescaped(text: string, sign: '%' | '='): Buffer {
  const coded = new RegExp(`${sign}([\\da-f]{2})`, 'gi')
  const byteOf = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))
  return Buffer.from(Buffer.from(text).toString('latin1').replace(coded, byteOf), 'latin1')
}
