import { checksumElements } from '../checksums/show-checksums.ts'
import { S3Error } from '../errors.ts'
import type { ObjectView, PartView } from '../files-port.ts'
import { storageClassOf } from '../labels/object-headers.ts'
import { writeDocument, type XmlElement } from '../xml/write-xml.ts'
import { type Call, invalidArgument, type Operation, xml } from './call.ts'
import { readLimit, readPosition } from './list-parameters.ts'

const names = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const
type Name = (typeof names)[number]

export const getObjectAttributes: Operation = async (call) => {
  await call.files.findBucket(call.place.bucket)
  const wanted = readNames(call)
  const object = await call.files.describeObject(call.place)
  const parts = wanted.has('ObjectParts') && object.partCount !== null ? await listParts(call) : null
  const { digests, digestType } = object
  const checksum = checksumElements(digests, digestType)
  const elements: [Name, XmlElement][] = [
    ['ETag', ['ETag', object.etag]],
    ['Checksum', ['Checksum', checksum.length === 0 ? null : checksum]],
    ['ObjectParts', ['ObjectParts', parts === null ? null : showParts(parts, object)]],
    ['StorageClass', ['StorageClass', storageClassOf(object)]],
    ['ObjectSize', ['ObjectSize', object.sizeBytes]],
  ]
  const shown = elements.filter(([name]) => wanted.has(name)).map(([, element]) => element)
  const lastModified = new Date(object.lastModified).toUTCString()
  return xml(writeDocument('GetObjectAttributesResponse', shown), { 'last-modified': lastModified })
}

function readNames({ request: { headers } }: Call): Set<Name> {
  const sent = headers['x-amz-object-attributes']?.toString() ?? ''
  const wanted = sent
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (wanted.length === 0) {
    throw new S3Error(
      'InvalidRequest',
      'The x-amz-object-attributes header specifying the attributes to be retrieved is either missing or empty',
    )
  }
  const unknown = wanted.find((name) => !names.includes(name as Name))
  if (unknown === undefined) return new Set(wanted as Name[])
  throw invalidArgument('x-amz-object-attributes', unknown, 'Invalid attribute name specified.')
}

interface PartsPage {
  parts: PartView[]
  after: number
  limit: number
  isTruncated: boolean
}

async function listParts({ files, place, request: { headers } }: Call): Promise<PartsPage> {
  const limit = readLimit(headers['x-amz-max-parts']?.toString(), 'max-parts')
  const after = readPosition(headers['x-amz-part-number-marker']?.toString(), 'part-number-marker')
  const { parts, isTruncated } = await files.listObjectParts(place, { after, limit })
  return { parts, after, limit, isTruncated }
}

/** S3 lists the parts only of objects whose parts have checksums. */
function showParts({ parts, after, limit, isTruncated }: PartsPage, { partCount }: ObjectView): XmlElement[] {
  const listed = parts.filter(({ digests }) => Object.keys(digests).length > 0)
  return [
    ['PartsCount', partCount],
    ['PartNumberMarker', after],
    ['NextPartNumberMarker', parts.at(-1)?.partNumber ?? after],
    ['MaxParts', limit],
    ['IsTruncated', isTruncated],
    ...listed.map(
      ({ partNumber, sizeBytes, digests }): XmlElement => [
        'Part',
        [['PartNumber', partNumber], ['Size', sizeBytes], ...checksumElements(digests, null)],
      ],
    ),
  ]
}
