import { S3Error } from '../errors.ts'

export interface PartHeaders {
  /** Lower-case. */
  name: string
  /** Undefined for a field. */
  filename: string | undefined
  contentType: string | undefined
}

const MAX_HEADERS = 8
const PARAMETER = /;\s*([A-Za-z*]+)=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]*))/y

/** Reads the lines of a part up to the empty line. */
export async function readPartHeaders(nextLine: () => Promise<string>): Promise<PartHeaders> {
  const headers = new Map<string, string>()
  for (;;) {
    const line = await nextLine()
    if (line === '') break
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim().toLowerCase()
    if (colon < 1 || headers.has(name) || headers.size === MAX_HEADERS) throw new S3Error('MalformedPOSTRequest')
    headers.set(name, Buffer.from(line.slice(colon + 1).trim(), 'latin1').toString('utf8'))
  }
  const parameters = readDisposition(headers.get('content-disposition') ?? '')
  const name = parameters.get('name')?.toLowerCase()
  if (name === undefined || name === '') throw new S3Error('MalformedPOSTRequest')
  return { name, filename: parameters.get('filename'), contentType: headers.get('content-type') }
}

function readDisposition(text: string): Map<string, string> {
  const parameters = new Map<string, string>()
  const semicolon = text.indexOf(';')
  if (semicolon === -1 || text.slice(0, semicolon).trim().toLowerCase() !== 'form-data') {
    throw new S3Error('MalformedPOSTRequest')
  }
  PARAMETER.lastIndex = semicolon
  for (let at = semicolon; at < text.trimEnd().length; at = PARAMETER.lastIndex) {
    const found = PARAMETER.exec(text)
    const name = found?.[1]?.toLowerCase()
    // A second name would let the form and its policy mean different fields.
    if (name === undefined || parameters.has(name)) throw new S3Error('MalformedPOSTRequest')
    parameters.set(name, unquote(found?.[2]) ?? found?.[3] ?? '')
  }
  return parameters
}

/** Browsers write a quotation mark as `%22`, other clients as `\"`. Other backslashes are part of old Windows paths. */
const unquote = (quoted: string | undefined) => quoted?.replaceAll('%22', '"').replaceAll(/\\(["\\])/g, '$1')
