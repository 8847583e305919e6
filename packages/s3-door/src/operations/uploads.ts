import type { Algorithm } from '../checksums/algorithms.ts'
import { readAlgorithm } from '../checksums/read-checksums.ts'
import { typeName } from '../checksums/show-checksums.ts'
import { S3Error } from '../errors.ts'
import type { DigestType, Upload } from '../files-port.ts'
import { readLabels, readTags, readWriteConditions } from '../labels/read-labels.ts'
import { writeDocument } from '../xml/write-xml.ts'
import { type Call, invalidArgument, noContent, type Operation, xml } from './call.ts'
import { readSource, readSourceRange } from './copy-source.ts'
import { isUnsatisfiable, readPartNumber } from './read-object.ts'
import { copyElements, readPayload, writtenHeaders } from './write-object.ts'

export const createUpload: Operation = async (call) => {
  const { request, files, place } = call
  const { digestAlgorithm, digestType } = readKind(call)
  const { uploadId } = await files.beginUpload(place, {
    ...readLabels(request),
    ...readWriteConditions(request),
    tags: readTags(request),
    wanted: digestAlgorithm === null ? [] : [digestAlgorithm],
    ...{ digestAlgorithm, digestType },
  })
  const { bucket, key } = place
  return xml(
    writeDocument('InitiateMultipartUploadResult', [
      ['Bucket', bucket],
      ['Key', key],
      ['UploadId', uploadId],
    ]),
    kindHeaders(digestAlgorithm, digestType),
  )
}

function kindHeaders(algorithm: Algorithm | null, type: DigestType | null): Record<string, string> {
  if (algorithm === null) return {}
  const name = typeName(type)
  return {
    'x-amz-checksum-algorithm': algorithm.toUpperCase(),
    ...(name !== undefined && { 'x-amz-checksum-type': name }),
  }
}

/** Checksums of a complete object can be combined from those of its parts only if they are cyclic. */
const cyclic = new Set<Algorithm>(['crc32', 'crc32c', 'crc64nvme'])

/** The checksum of the upload, and whether it covers the object or the checksums of its parts. */
function readKind({ request: { headers } }: Call): {
  digestAlgorithm: Algorithm | null
  digestType: DigestType | null
} {
  const digestAlgorithm = readAlgorithm(headers)
  const digestType = readDigestType(headers['x-amz-checksum-type'])
  if (digestAlgorithm === null) {
    if (digestType === null) return { digestAlgorithm, digestType }
    throw new S3Error(
      'InvalidRequest',
      'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
    )
  }
  const isWrong =
    digestType === 'full_object' ? !cyclic.has(digestAlgorithm) : digestType !== null && digestAlgorithm === 'crc64nvme'
  if (isWrong) {
    throw new S3Error(
      'InvalidRequest',
      `The ${typeName(digestType)} checksum type cannot be used with the ${digestAlgorithm} checksum algorithm.`,
    )
  }
  return { digestAlgorithm, digestType: digestType ?? (digestAlgorithm === 'crc64nvme' ? 'full_object' : 'composite') }
}

export function readDigestType(header: string | string[] | undefined): DigestType | null {
  if (header === undefined || header === '') return null
  const name = String(header).toUpperCase()
  if (name === 'FULL_OBJECT') return 'full_object'
  if (name === 'COMPOSITE') return 'composite'
  throw new S3Error('InvalidRequest', 'Value for x-amz-checksum-type header is invalid.')
}

export function uploadOf({ place, target: { query } }: Call): Upload {
  return { ...place, uploadId: query.get('uploadId') ?? '' }
}

export const uploadPart: Operation = async (call) => {
  const partNumber = requirePartNumber(call)
  const { etag, digests } = await call.files.putPart(uploadOf(call), partNumber, await readPayload(call))
  return { status: 200, headers: writtenHeaders({ etag, digests, digestType: null }) }
}

function requirePartNumber({ target: { query } }: Call): number {
  const number = readPartNumber(query)
  if (number !== undefined) return number
  throw invalidArgument('partNumber', '', 'Part number must be an integer between 1 and 10000, inclusive.')
}

export const copyPart: Operation = async (call) => {
  const partNumber = requirePartNumber(call)
  const { files, place } = call
  const { source, range } = await readCopy(call).catch(async (error: unknown) => {
    await files.findBucket(place.bucket)
    throw error
  })
  const stored = await files.copyPart(uploadOf(call), partNumber, { source, range }).catch(async (error: unknown) => {
    if (range === null || !isUnsatisfiable(error)) throw error
    const { sizeBytes } = await files.describeObject(source)
    const message = `Range specified is not valid for source object of size: ${sizeBytes}`
    throw invalidArgument('x-amz-copy-source-range', String(sizeBytes), message)
  })
  return xml(writeDocument('CopyPartResult', copyElements({ ...stored, digestType: null })))
}

async function readCopy(call: Call) {
  return { source: readSource(call), range: readSourceRange(call) }
}

export const abortUpload: Operation = async (call) => {
  const initiated = call.request.headers['x-amz-if-match-initiated-time']?.toString()
  const time = initiated === undefined ? undefined : new Date(initiated)
  if (Number.isNaN(time?.getTime())) throw invalidArgument('x-amz-if-match-initiated-time', initiated ?? '')
  await call.files.abortUpload(uploadOf(call), { ifMatchInitiatedTime: time?.toISOString() })
  return noContent
}
