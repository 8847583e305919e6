import { readAlgorithm, readChecksums, readTrailing } from '../checksums/read-checksums.ts'
import { checksumElements, checksumHeaders } from '../checksums/show-checksums.ts'
import { S3Error } from '../errors.ts'
import type { ObjectView, Payload } from '../files-port.ts'
import { quoted } from '../labels/object-headers.ts'
import { readLabels, readTags, readWriteConditions } from '../labels/read-labels.ts'
import { writeDocument } from '../xml/write-xml.ts'
import { type Call, invalidArgument, type Operation, xml } from './call.ts'
import { readSource } from './copy-source.ts'

/** The largest body of one request in S3. */
export const BODY_MAX_BYTES = 5 * 1024 ** 3

export const putObject: Operation = async (call) => {
  const { request, files, place } = call
  const labels = readLabels(request)
  const conditions = readWriteConditions(request)
  const tags = readTags(request)
  const payload = await readPayload(call)
  // Without a checksum of its own, an object has the one that S3 adds.
  const wanted = payload.wanted.length === 0 ? (['crc64nvme'] as const) : payload.wanted
  const object = { ...labels, ...conditions, tags, digests: payload.digests, wanted: [...wanted] }
  const stored = await files.putObject(place, object, { ...payload, wanted: [...wanted] })
  return { status: 200, headers: { ...writtenHeaders(stored), 'x-amz-object-size': String(stored.sizeBytes) } }
}

export function writtenHeaders({ etag, digests, digestType }: Pick<ObjectView, 'etag' | 'digests' | 'digestType'>) {
  return { etag: quoted(etag), ...checksumHeaders(digests, digestType) }
}

/** The body of PutObject and UploadPart. */
export async function readPayload({ request, body }: Call): Promise<Payload> {
  const { digests, trailing, chosen, contentMd5 } = readChecksums(request.headers)
  const { sizeBytes, contentSha256 } = body
  if (sizeBytes === undefined) throw new S3Error('MissingContentLength')
  if (sizeBytes > BODY_MAX_BYTES) {
    throw new S3Error('EntityTooLarge', undefined, {
      ProposedSize: String(sizeBytes),
      MaxSizeAllowed: String(BODY_MAX_BYTES),
    })
  }
  return {
    ...{ sizeBytes, contentSha256, contentMd5, digests },
    wanted: chosen === null ? [] : [chosen],
    bytes: await body.open(),
    trailer: trailing === null ? null : () => readTrailing(trailing, body.trailer()[`x-amz-checksum-${trailing}`]),
  }
}

export const copyObject: Operation = async (call) => {
  const { request, files, place } = call
  const source = readSource(call)
  const replaces = readDirective(call, 'metadata')
  const replacesTags = readDirective(call, 'tagging')
  const labels = readLabels(request)
  const algorithm = readAlgorithm(request.headers)
  const isItself = source.bucket === place.bucket && source.key === place.key
  const changes = replaces || algorithm !== null || request.headers['x-amz-storage-class'] !== undefined
  if (isItself && !changes) {
    throw new S3Error(
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    )
  }
  const stored = await files.copyObject(place, {
    source,
    replace: replaces ? labels : null,
    tags: replacesTags ? (readTags(request) ?? {}) : null,
    wanted: algorithm === null ? [] : [algorithm],
    ...readWriteConditions(request),
  })
  return xml(writeDocument('CopyObjectResult', copyElements(stored)))
}

export function copyElements({ lastModified, etag, digests, digestType }: CopiedView) {
  return [
    ['LastModified', new Date(lastModified).toISOString()],
    ['ETag', quoted(etag)],
    ...checksumElements(digests, digestType),
  ] as const
}

type CopiedView = Pick<ObjectView, 'lastModified' | 'etag' | 'digests' | 'digestType'>

/** Whether the copy has labels of its own (REPLACE) instead of those of its source (COPY). */
function readDirective({ request }: Call, kind: 'metadata' | 'tagging'): boolean {
  const name = `x-amz-${kind}-directive`
  const directive = request.headers[name]?.toString()
  if (directive === undefined || directive === '' || directive === 'COPY') return false
  if (directive === 'REPLACE') return true
  throw invalidArgument(name, directive, `Unknown ${kind} directive.`)
}
