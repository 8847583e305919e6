import { checksumElements, typeName } from '../checksums/show-checksums.ts'
import { quoted } from '../labels/object-headers.ts'
import { writeDocument, type XmlElement } from '../xml/write-xml.ts'
import { ownerOf } from './buckets.ts'
import { type Call, invalidArgument, type Operation, xml } from './call.ts'
import { readEncoding, readLimit, readPosition } from './list-parameters.ts'
import { uploadOf } from './uploads.ts'

export const listParts: Operation = async (call) => {
  const { query } = call.target
  const limit = readLimit(query.get('max-parts'), 'max-parts')
  const after = readPosition(query.get('part-number-marker'), 'part-number-marker')
  const upload = uploadOf(call)
  const { parts, isTruncated, digestAlgorithm, digestType } = await call.files.listParts(upload, { after, limit })
  return xml(
    writeDocument('ListPartsResult', [
      ['Bucket', upload.bucket],
      ['Key', upload.key],
      ['UploadId', upload.uploadId],
      ['Initiator', ownerOf(call)],
      ['Owner', ownerOf(call)],
      ['StorageClass', 'STANDARD'],
      ['PartNumberMarker', after],
      ['NextPartNumberMarker', parts.at(-1)?.partNumber ?? 0],
      ['MaxParts', limit],
      ['IsTruncated', isTruncated],
      // S3 writes `null` for none.
      ['ChecksumAlgorithm', digestAlgorithm?.toUpperCase() ?? 'null'],
      ['ChecksumType', typeName(digestType) ?? 'null'],
      ...parts.map(
        (part): XmlElement => [
          'Part',
          [
            ['PartNumber', part.partNumber],
            ['LastModified', new Date(part.lastModified).toISOString()],
            ['ETag', quoted(part.etag)],
            ['Size', part.sizeBytes],
            ...checksumElements(part.digests, null),
          ],
        ],
      ),
    ]),
  )
}

export const listUploads: Operation = async (call) => {
  const { query } = call.target
  const limit = readLimit(query.get('max-uploads'), 'max-uploads')
  const { encode, encodingType } = readEncoding(query.get('encoding-type'))
  const keyMarker = query.get('key-marker') ?? ''
  // Without a key, the marker of an upload has no meaning.
  const uploadIdMarker = keyMarker === '' ? '' : (query.get('upload-id-marker') ?? '')
  if (!/^(?:[0-9a-f-]{36})?$/i.test(uploadIdMarker)) {
    throw invalidArgument('upload-id-marker', uploadIdMarker, 'Invalid uploadId marker')
  }
  const asked = {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    keyMarker,
    uploadIdMarker,
  }
  const page = await list(call, { ...asked, limit })
  return xml(
    writeDocument('ListMultipartUploadsResult', [
      ['Bucket', call.place.bucket],
      ['KeyMarker', encode(keyMarker)],
      ['UploadIdMarker', uploadIdMarker],
      ['NextKeyMarker', page.nextKeyMarker === null ? null : encode(page.nextKeyMarker)],
      ['NextUploadIdMarker', page.nextUploadIdMarker],
      ['Delimiter', asked.delimiter === '' ? null : encode(asked.delimiter)],
      ['Prefix', encode(asked.prefix)],
      ['EncodingType', encodingType],
      ['MaxUploads', limit],
      ['IsTruncated', page.isTruncated],
      ...page.uploads.map(
        (upload): XmlElement => [
          'Upload',
          [
            ['Key', encode(upload.key)],
            ['UploadId', upload.uploadId],
            ['Initiator', ownerOf(call)],
            ['Owner', ownerOf(call)],
            ['StorageClass', 'STANDARD'],
            ['Initiated', new Date(upload.initiated).toISOString()],
            ['ChecksumAlgorithm', upload.digestAlgorithm?.toUpperCase()],
            ['ChecksumType', typeName(upload.digestType)],
          ],
        ],
      ),
      ...page.prefixes.map((prefix): XmlElement => ['CommonPrefixes', [['Prefix', encode(prefix)]]]),
    ]),
  )
}

async function list({ files, place }: Call, query: Parameters<Call['files']['listUploads']>[1]) {
  if (query.limit > 0) return await files.listUploads(place.bucket, query)
  await files.findBucket(place.bucket)
  return { uploads: [], prefixes: [], isTruncated: false, nextKeyMarker: null, nextUploadIdMarker: null }
}
