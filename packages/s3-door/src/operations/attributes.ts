import { checksumElements } from '../checksums/show-checksums.ts'
import { S3Error } from '../errors.ts'
import { storageClassOf } from '../labels/object-headers.ts'
import { writeDocument, type XmlElement } from '../xml/write-xml.ts'
import { type Call, invalidArgument, type Operation, xml } from './call.ts'

const names = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const
type Name = (typeof names)[number]

export const getObjectAttributes: Operation = async (call) => {
  await call.files.findBucket(call.place.bucket)
  const wanted = readNames(call)
  const object = await call.files.describeObject(call.place)
  const { digests, digestType, partCount } = object
  const checksum = checksumElements(digests, digestType)
  const elements: [Name, XmlElement][] = [
    ['ETag', ['ETag', object.etag]],
    ['Checksum', ['Checksum', checksum.length === 0 ? null : checksum]],
    // S3 lists the parts only if they have checksums of their own, which are not kept.
    ['ObjectParts', ['ObjectParts', partCount === null ? null : [['PartsCount', partCount]]]],
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
