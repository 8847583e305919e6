import type { IncomingHttpHeaders } from 'node:http'
import { S3Error } from '../errors.ts'
import type { Digests } from '../files-port.ts'
import { type Algorithm, algorithmNamed, algorithmNames, algorithms, isBase64Of, isDigest } from './algorithms.ts'

const prefix = 'x-amz-checksum-'
/** Headers with the prefix that are no values. */
const others = new Set(['algorithm', 'mode', 'type'])

export interface SentChecksum {
  /** Values in headers. */
  digests: Digests
  /** The checksum whose value follows the body. */
  trailing: Algorithm | null
  /** The checksum that the client chose, by a value or by its name. */
  chosen: Algorithm | null
  contentMd5: string | undefined
}

/** Reads the checksums of a request with a body. Throws `InvalidRequest` and `InvalidDigest`. */
export function readChecksums(headers: IncomingHttpHeaders): SentChecksum {
  const values = Object.keys(headers).filter(
    (name) => name.startsWith(prefix) && !others.has(name.slice(prefix.length)),
  )
  const trailing = readTrailer(headers['x-amz-trailer'])
  if (values.length + (trailing === null ? 0 : 1) > 1) {
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    )
  }
  const [header] = values
  const digests = header === undefined ? {} : readValue(header, String(headers[header]))
  const sent = (Object.keys(digests)[0] as Algorithm | undefined) ?? trailing
  const declared = readDeclared(headers, sent)
  return { digests, trailing, chosen: sent ?? declared, contentMd5: readContentMd5(headers) }
}

function readTrailer(header: string | string[] | undefined): Algorithm | null {
  if (header === undefined) return null
  const name = String(header).trim().toLowerCase()
  const algorithm = name.startsWith(prefix) ? algorithmNamed(name.slice(prefix.length)) : undefined
  if (algorithm === undefined) {
    throw new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported')
  }
  return algorithm
}

function readValue(header: string, value: string): Digests {
  const algorithm = algorithmNamed(header.slice(prefix.length))
  if (algorithm === undefined) {
    throw new S3Error('InvalidRequest', 'The algorithm type you specified in x-amz-checksum- header is invalid.')
  }
  if (!isDigest(algorithm, value)) throw new S3Error('InvalidRequest', `Value for ${header} header is invalid.`)
  return { [algorithm]: value }
}

/** `x-amz-sdk-checksum-algorithm` names the checksum that must also be sent. */
function readDeclared(headers: IncomingHttpHeaders, sent: Algorithm | null): Algorithm | null {
  const header = headers['x-amz-sdk-checksum-algorithm']
  if (header === undefined) return null
  const algorithm = algorithmNamed(String(header))
  if (algorithm === undefined || (sent !== null && algorithm !== sent)) {
    throw new S3Error('InvalidRequest', 'Value for x-amz-sdk-checksum-algorithm header is invalid.')
  }
  if (sent === null) {
    throw new S3Error(
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    )
  }
  return algorithm
}

export function readContentMd5(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['content-md5']
  if (value === undefined) return undefined
  if (isBase64Of(String(value), 16)) return String(value)
  throw new S3Error('InvalidDigest', undefined, { 'Content-MD5': String(value) })
}

/** Values after the body. */
export function readTrailing(trailing: Algorithm, value: string | undefined): Digests {
  if (value === undefined || !isDigest(trailing, value)) {
    throw new S3Error('InvalidRequest', `Value for ${prefix}${trailing} trailing header is invalid.`)
  }
  return { [trailing]: value }
}

/** `x-amz-checksum-algorithm`, for a copy or an upload in parts. */
export function readAlgorithm(headers: IncomingHttpHeaders): Algorithm | null {
  const header = headers['x-amz-checksum-algorithm']
  if (header === undefined || header === '') return null
  const algorithm = algorithmNamed(String(header))
  if (algorithm !== undefined) return algorithm
  const names = algorithmNames.map((name) => algorithms[name].name).toSorted()
  throw new S3Error(
    'InvalidRequest',
    `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${names.join(', ')}]`,
  )
}
