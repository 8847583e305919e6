import { S3Error } from '../errors.ts'
import type { BucketView } from '../files-port.ts'
import { checkTags, readTag } from '../labels/tags.ts'
import { notImplemented } from '../labels/unsupported.ts'
import { malformed, nodesOf, readDocument, textOf } from '../xml/read-xml.ts'
import { writeDocument, writeRoot, XML_DECLARATION, type XmlElement } from '../xml/write-xml.ts'
import { type Call, invalidArgument, noContent, type Operation, xml } from './call.ts'
import { readVerified } from './verified-body.ts'

const BUCKETS_MAX = 10_000
const PAGE = 1000
const CONFIGURATION_MAX_BYTES = 64 * 1024
const TAGS_MAX = 50

export const listBuckets: Operation = async (call) => {
  const { query } = call.target
  const limit = readMaxBuckets(query.get('max-buckets'))
  const prefix = query.get('prefix') ?? ''
  const buckets: BucketView[] = []
  let next: string | null = query.get('continuation-token') ?? ''
  while (next !== null && buckets.length < limit) {
    const asked = { prefix, after: next, limit: Math.min(PAGE, limit - buckets.length) }
    const page: { buckets: BucketView[]; next: string | null } = await call.files.listBuckets(asked)
    buckets.push(...page.buckets)
    next = page.next
  }
  return xml(
    writeDocument('ListAllMyBucketsResult', [
      ['Owner', ownerOf(call)],
      ['Buckets', buckets.map((bucket) => showBucket(bucket, call.region))],
      ['Prefix', query.get('prefix')],
      ['ContinuationToken', next],
    ]),
  )
}

function readMaxBuckets(text: string | undefined): number {
  if (text === undefined || text === '') return BUCKETS_MAX
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= BUCKETS_MAX) return number
  throw invalidArgument('max-buckets', text, 'Argument max-buckets must be an integer between 1 and 10000.')
}

function showBucket({ slug, createdAt }: BucketView, region: string): XmlElement {
  return [
    'Bucket',
    [
      ['Name', slug],
      ['CreationDate', new Date(createdAt).toISOString()],
      ['BucketRegion', region],
    ],
  ]
}

export function ownerOf({ accountId }: Pick<Call, 'accountId'>): XmlElement[] {
  return [
    ['ID', accountId],
    ['DisplayName', accountId],
  ]
}

export const createBucket: Operation = async (call) => {
  const { headers } = call.request
  const { bucket } = call.place
  if (!isBucketName(bucket)) throw new S3Error('InvalidBucketName', undefined, { BucketName: bucket })
  if (headers['x-amz-bucket-object-lock-enabled']?.toString().toLowerCase() === 'true') {
    throw notImplemented('x-amz-bucket-object-lock-enabled')
  }
  const ownership = headers['x-amz-object-ownership']
  if (ownership !== undefined && ownership !== 'BucketOwnerEnforced') throw notImplemented('x-amz-object-ownership')
  const visibility = readVisibility(call)
  const bytes = await readVerified(call, CONFIGURATION_MAX_BYTES)
  if (bytes.length > 0) checkConfiguration(bytes, call.region)
  await call.files.createBucket(bucket, visibility)
  return { status: 200, headers: { location: `/${bucket}`, 'x-amz-bucket-arn': `arn:aws:s3:::${bucket}` } }
}

/** A bucket is public only if its creator says so. */
function readVisibility({ request: { headers } }: Call): 'public' | 'private' {
  const acl = headers['x-amz-acl']?.toString()
  const isGranted = Object.keys(headers).some((name) => name.startsWith('x-amz-grant-'))
  if (isGranted) throw new S3Error('AccessControlListNotSupported')
  if (acl === undefined || acl === 'private' || acl === 'bucket-owner-full-control') return 'private'
  if (acl === 'public-read') return 'public'
  throw new S3Error('AccessControlListNotSupported')
}

export function isBucketName(bucket: string): boolean {
  const isName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) && !bucket.includes('..')
  return isName && !/^\d+(\.\d+){3}$/.test(bucket)
}

function checkConfiguration(bytes: Buffer, region: string): void {
  const configuration = readDocument(bytes, 'CreateBucketConfiguration')
  const constraint = textOf(configuration, 'LocationConstraint')?.trim()
  // S3's first region is no constraint. None and an empty one stand for the region of the endpoint.
  const isWrong = constraint === 'us-east-1' || constraint !== region
  if (constraint !== undefined && constraint !== '' && isWrong) {
    throw new S3Error('InvalidLocationConstraint', undefined, { LocationConstraint: constraint })
  }
  const [tags, ...others] = nodesOf(configuration, 'Tags')
  if (others.length > 0) throw malformed()
  if (tags === undefined) return
  const pairs = nodesOf(tags, 'Tag').map(readTag)
  checkTags(pairs, TAGS_MAX)
  if (pairs.length > 0) throw new S3Error('NotImplemented', 'Buckets have no tags.')
}

export const headBucket: Operation = async ({ files, place, region }) => {
  await files.findBucket(place.bucket)
  return { status: 200, headers: { 'x-amz-bucket-region': region, 'x-amz-access-point-alias': 'false' } }
}

export const getBucketLocation: Operation = async ({ files, place, region }) => {
  await files.findBucket(place.bucket)
  // S3's name for its first region is empty.
  return xml(XML_DECLARATION + writeRoot('LocationConstraint', region === 'us-east-1' ? '' : region))
}

export const deleteBucket: Operation = async ({ files, place }) => {
  await files.deleteBucket(place.bucket)
  return noContent
}
