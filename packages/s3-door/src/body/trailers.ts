import { S3Error } from '../errors.ts'
import type { ByteReader } from './byte-reader.ts'

const CHECKSUM = /^x-amz-checksum-(?:crc32|crc32c|crc64nvme|md5|sha1|sha256|sha512|xxhash3|xxhash64|xxhash128)$/
const SIGNATURE_LINE = 'x-amz-trailer-signature:'
const HEX_64 = /^[0-9a-f]{64}$/

/** More than ten checksums need. */
const MAX_LINE_BYTES = 1024
const MAX_LINES = 11

export interface Trailers {
  values: ReadonlyMap<string, string>
  /** The lines that a signature covers. */
  signedLines: string
  /** Undefined in a body whose trailers are not signed. */
  signature: string | undefined
}

/** `x-amz-trailer`: the names of the trailers that a body will have. */
export function declaredTrailers(header: string | undefined): string[] {
  const names = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.every((name) => CHECKSUM.test(name))) return names
  throw new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported')
}

/** Reads the lines after the last chunk, up to the empty line. They must be exactly the declared ones. */
export async function readTrailers(
  reader: ByteReader,
  declared: readonly string[],
  isSigned: boolean,
): Promise<Trailers> {
  const values = new Map<string, string>()
  for (let count = 0; count <= MAX_LINES; count += 1) {
    const line = await reader.line(MAX_LINE_BYTES)
    if (line === '' && !isSigned) return completed({ values, declared, signature: undefined })
    if (isSigned && values.size === declared.length && values.size > 0) {
      const signature = line.slice(SIGNATURE_LINE.length)
      if (!line.startsWith(SIGNATURE_LINE) || !HEX_64.test(signature)) throw new S3Error('IncompleteBody')
      // The documentation's example ends here, SDKs add an empty line.
      if (!(await reader.isAtEnd()) && (await reader.line(0)) !== '') throw new S3Error('IncompleteBody')
      return completed({ values, declared, signature })
    }
    const [name, value] = readLine(line)
    if (!declared.includes(name) || values.has(name)) throw new S3Error('MalformedTrailerError')
    values.set(name, value)
  }
  throw new S3Error('MalformedTrailerError')
}

/** Some clients end a value with a line feed before the CRLF. */
function readLine(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  if (colon === -1) throw new S3Error('MalformedTrailerError')
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
}

function completed(read: {
  values: Map<string, string>
  declared: readonly string[]
  signature: string | undefined
}): Trailers {
  const { values, declared, signature } = read
  if (values.size !== declared.length) throw new S3Error('MalformedTrailerError')
  const signedLines = [...values].map(([name, value]) => `${name}:${value}\n`).join('')
  return { values, signedLines, signature }
}
