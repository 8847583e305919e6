import { algorithms } from '../checksums/algorithms.ts'
import { presentIn, typeName } from '../checksums/show-checksums.ts'
import type { ListEntry, ListedObject } from '../files-port.ts'
import { quoted, storageClassOf } from '../labels/object-headers.ts'
import { writeDocument, type XmlElement } from '../xml/write-xml.ts'
import { ownerOf } from './buckets.ts'
import { type Call, invalidArgument, type Operation, xml } from './call.ts'
import { readEncoding, readLimit } from './list-parameters.ts'

interface Listing {
  prefix: string
  delimiter: string
  limit: number
  encode: (text: string) => string
  encodingType: string | undefined
}

function readListing({ target: { query } }: Call): Listing {
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    limit: readLimit(query.get('max-keys'), 'max-keys'),
    ...readEncoding(query.get('encoding-type')),
  }
}

export const listObjects: Operation = async (call) => {
  const listing = readListing(call)
  const { encode } = listing
  const marker = call.target.query.get('marker') ?? ''
  const { entries, next } = await list(call, listing, marker)
  return xml(
    writeDocument('ListBucketResult', [
      ['Name', call.place.bucket],
      ['Prefix', encode(listing.prefix)],
      ['Marker', encode(marker)],
      ['NextMarker', next === null ? null : encode(next)],
      ...commonElements(listing, next !== null),
      ...showEntries(entries, { encode, owner: ownerOf(call) }),
    ]),
  )
}

export const listObjectsV2: Operation = async (call) => {
  const listing = readListing(call)
  const { encode } = listing
  const { query } = call.target
  const token = query.get('continuation-token')
  const startAfter = query.get('start-after')
  const after = laterOf(token ? readToken(token) : '', startAfter ?? '')
  const { entries, next } = await list(call, listing, after)
  const owner = query.get('fetch-owner') === 'true' ? ownerOf(call) : null
  return xml(
    writeDocument('ListBucketResult', [
      ['Name', call.place.bucket],
      ['Prefix', encode(listing.prefix)],
      ['StartAfter', startAfter === undefined ? null : encode(startAfter)],
      ['ContinuationToken', token],
      ['NextContinuationToken', next === null ? null : toToken(next)],
      ['KeyCount', entries.length],
      ...commonElements(listing, next !== null),
      ...showEntries(entries, { encode, owner }),
    ]),
  )
}

/** Each object is the only version of its key, as in a bucket of S3 without versioning. */
export const listObjectVersions: Operation = async (call) => {
  const listing = readListing(call)
  const { encode } = listing
  const keyMarker = call.target.query.get('key-marker') ?? ''
  const versionMarker = call.target.query.get('version-id-marker') ?? ''
  if (versionMarker !== '' && keyMarker === '') {
    const message = 'A version-id marker cannot be specified without a key marker.'
    throw invalidArgument('version-id-marker', versionMarker, message)
  }
  const { entries, next } = await list(call, listing, keyMarker)
  return xml(
    writeDocument('ListVersionsResult', [
      ['Name', call.place.bucket],
      ['Prefix', encode(listing.prefix)],
      ['KeyMarker', encode(keyMarker)],
      ['VersionIdMarker', versionMarker],
      ['NextKeyMarker', next === null ? null : encode(next)],
      ['NextVersionIdMarker', next === null ? null : 'null'],
      ...commonElements(listing, next !== null),
      ...showEntries(entries, { encode, owner: ownerOf(call), isVersion: true }),
    ]),
  )
}

interface ListPage {
  entries: ListEntry[]
  next: string | null
}

async function list({ files, place }: Call, { prefix, delimiter, limit }: Listing, after: string): Promise<ListPage> {
  if (limit === 0) {
    await files.findBucket(place.bucket)
    return { entries: [], next: null }
  }
  const entries: ListEntry[] = []
  let next: string | null = after
  // Pages may be short, and clients expect as many entries as they asked for.
  while (next !== null && entries.length < limit) {
    const asked = { prefix, delimiter, after: next, limit: limit - entries.length }
    const page: ListPage = await files.listObjects(place.bucket, asked)
    entries.push(...page.entries)
    next = page.next
  }
  return { entries, next }
}

function commonElements({ delimiter, limit, encode, encodingType }: Listing, isTruncated: boolean): XmlElement[] {
  return [
    ['MaxKeys', limit],
    ['Delimiter', delimiter === '' ? null : encode(delimiter)],
    ['EncodingType', encodingType],
    ['IsTruncated', isTruncated],
  ]
}

interface ShownEntries {
  encode: (text: string) => string
  owner: XmlElement[] | null
  isVersion?: boolean
}

function showEntries(entries: readonly ListEntry[], { encode, owner, isVersion = false }: ShownEntries): XmlElement[] {
  return entries.map((entry) => {
    if ('prefix' in entry) return ['CommonPrefixes', [['Prefix', encode(entry.prefix)]]]
    const shown = showObject(entry.object, encode(entry.object.key), owner)
    return isVersion ? ['Version', [...shown, ['VersionId', 'null'], ['IsLatest', true]]] : ['Contents', shown]
  })
}

function showObject(object: ListedObject, key: string, owner: XmlElement[] | null): XmlElement[] {
  const { digestType } = object
  const digestNames = presentIn(object.digests)
  return [
    ['Key', key],
    ['LastModified', new Date(object.lastModified).toISOString()],
    ['ETag', quoted(object.etag)],
    ...digestNames.map((name): XmlElement => ['ChecksumAlgorithm', algorithms[name].name]),
    ['ChecksumType', digestNames.length === 0 ? null : typeName(digestType)],
    ['Size', object.sizeBytes],
    ['Owner', owner],
    ['StorageClass', storageClassOf(object)],
  ]
}

/** In the order of bytes. */
function laterOf(one: string, other: string): string {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0 ? other : one
}

/** A plain name is its own token. */
function toToken(after: string): string {
  return /^[\w./-]+$/.test(after) ? after : `~${Buffer.from(after).toString('base64url')}`
}

function readToken(token: string): string {
  const after = token.startsWith('~') ? Buffer.from(token.slice(1), 'base64url').toString() : token
  if (toToken(after) !== token) {
    throw invalidArgument('continuation-token', token, 'The continuation token provided is incorrect')
  }
  return after
}
