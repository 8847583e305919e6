import { MIMEType } from 'node:util'

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
    const head = body.toString('utf8', at, headEnd)
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

/** Browsers write quotes as %22, curl as \"; some give the path on the sender's disk, of which only the name counts. */
function nameIn(head: string): string | null {
  const [, written] = /\r\ncontent-disposition:[^\r]*;\s*filename="((?:[^"\\\r]|\\.)*)"/i.exec(head) ?? []
  if (written === undefined) return null
  const name = written.replaceAll('\\"', '"').replaceAll('%22', '"')
  return name.split(/[/\\]/).at(-1) ?? ''
}

function typeIn(head: string): string {
  const [, type = ''] = /\r\ncontent-type:[ \t]*([^\r]*)/i.exec(head) ?? []
  return type.trim() || 'application/octet-stream'
}
