import { type Algorithm, algorithmNamed, algorithmNames, algorithms, isDigest } from '../checksums/algorithms.ts'
import { checksumElements } from '../checksums/show-checksums.ts'
import { S3Error } from '../errors.ts'
import type { CompletedPart, Digests } from '../files-port.ts'
import { quoted } from '../labels/object-headers.ts'
import { readWriteConditions } from '../labels/read-labels.ts'
import { malformed, nodesOf, readDocument, textOf, type XmlNode } from '../xml/read-xml.ts'
import { writeDocument } from '../xml/write-xml.ts'
import { type Call, invalidArgument, type Operation, readBody, xml } from './call.ts'
import { encodeKey } from './list-parameters.ts'
import { readDigestType, uploadOf } from './uploads.ts'

const DOCUMENT_MAX_BYTES = 4 * 1024 * 1024
const PARTS_MAX = 10_000

export const completeUpload: Operation = async (call) => {
  const { request, files, place } = call
  const { headers } = request
  const digests = readFinal(call)
  const digestType = readDigestType(headers['x-amz-checksum-type'])
  const sizeBytes = readSize(headers['x-amz-mp-object-size']?.toString())
  const conditions = readWriteConditions(request)
  const parts = readParts(await readBody(call, DOCUMENT_MAX_BYTES))
  const stored = await files.completeUpload(uploadOf(call), { parts, digests, digestType, sizeBytes, ...conditions })
  const { bucket, key } = place
  return xml(
    writeDocument('CompleteMultipartUploadResult', [
      ['Location', `http://${headers.host ?? ''}/${bucket}/${encodeKey(key)}`],
      ['Bucket', bucket],
      ['Key', key],
      ['ETag', quoted(stored.etag)],
      ...checksumElements(stored.digests, stored.digestType),
    ]),
  )
}

function readParts(bytes: Buffer): CompletedPart[] {
  if (bytes.length === 0) throw new S3Error('InvalidRequest', 'You must specify at least one part')
  const nodes = nodesOf(readDocument(bytes, 'CompleteMultipartUpload'), 'Part')
  if (nodes.length === 0 || nodes.length > PARTS_MAX) throw malformed()
  const parts = nodes.map(readPart)
  const isSorted = parts.every(
    ({ partNumber }, index) => index === 0 || partNumber > (parts[index - 1]?.partNumber ?? 0),
  )
  if (!isSorted) throw new S3Error('InvalidPartOrder')
  return parts
}

function readPart(node: XmlNode): CompletedPart {
  const number = textOf(node, 'PartNumber')?.trim()
  const etag = textOf(node, 'ETag')?.trim()
  if (number === undefined || etag === undefined || !/^-?\d{1,9}$/.test(number)) throw malformed()
  if (Number(number) < 1) throw invalidArgument('PartNumber', number, 'PartNumber must be >= 1')
  return { partNumber: Number(number), etag: etag.replace(/^"(.*)"$/, '$1'), digests: readPartDigests(node) }
}

function readPartDigests(node: XmlNode): Digests {
  const found = algorithmNames.flatMap((algorithm): [Algorithm, string][] => {
    const value = textOf(node, algorithms[algorithm].element)
    return value === undefined || value === '' ? [] : [[algorithm, value]]
  })
  if (found.length > 1 || found.some(([algorithm, value]) => !isDigest(algorithm, value))) {
    throw invalidArgument('Checksum', '', 'Invalid Base64 or multiple checksums present in request')
  }
  return Object.fromEntries(found)
}

const prefix = 'x-amz-checksum-'

/** The checksum of the object, which for a composite one ends in the number of parts. */
function readFinal({ request: { headers } }: Call): Digests {
  const names = Object.keys(headers).filter((name) => name.startsWith(prefix) && !/-(algorithm|mode|type)$/.test(name))
  if (names.length > 1) {
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    )
  }
  const [name] = names
  if (name === undefined) return {}
  const algorithm = algorithmNamed(name.slice(prefix.length))
  if (algorithm === undefined) {
    throw new S3Error('InvalidRequest', 'The algorithm type you specified in x-amz-checksum- header is invalid.')
  }
  const value = String(headers[name])
  const own = algorithm === 'crc64nvme' ? value : value.replace(/-\d{1,5}$/, '')
  if (!isDigest(algorithm, own)) throw new S3Error('InvalidRequest', `Value for ${name} header is invalid.`)
  return { [algorithm]: value }
}

function readSize(text: string | undefined): number | null {
  if (text === undefined || text === '') return null
  if (/^-\d+$/.test(text)) {
    throw new S3Error('InvalidRequest', `Value for x-amz-mp-object-size header is less than zero: '${text}'`)
  }
  if (!/^\d{1,15}$/.test(text)) {
    throw new S3Error('InvalidRequest', `Value for x-amz-mp-object-size header is invalid: '${text}'`)
  }
  return Number(text)
}
