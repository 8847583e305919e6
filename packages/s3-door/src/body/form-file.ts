import { S3Error } from '../errors.ts'
import type { ByteReader } from './byte-reader.ts'

const READ_BYTES = 65_536

/** The bytes up to the next boundary. Keeps back only as many bytes as a boundary has. */
export async function* decodeFile(reader: ByteReader, boundary: string): AsyncGenerator<Buffer> {
  // The CRLF before the boundary is not part of the file, and an empty file begins with it.
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const keptBytes = delimiter.length + 1
  let kept = Buffer.alloc(0)
  for (;;) {
    const next = await reader.some(READ_BYTES)
    if (next === undefined) throw new S3Error('MalformedPOSTRequest')
    const bytes = kept.length === 0 ? next : Buffer.concat([kept, next])
    const end = endOfFile(bytes, delimiter)
    if (end !== undefined) {
      if (end > 0) yield bytes.subarray(0, end)
      return
    }
    const complete = Math.max(0, bytes.length - keptBytes)
    if (complete > 0) yield bytes.subarray(0, complete)
    kept = Buffer.from(bytes.subarray(complete))
  }
}

/** A boundary is followed by CRLF or by `--`. Otherwise it is the begin of a longer line of the file. */
function endOfFile(bytes: Buffer, delimiter: Buffer): number | undefined {
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + 1)) {
    const after = bytes.toString('latin1', at + delimiter.length, at + delimiter.length + 2)
    if (after === '--' || after === '\r\n') return at
  }
  return undefined
}
