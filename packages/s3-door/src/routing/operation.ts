import type { IncomingHttpHeaders } from 'node:http'
import { S3Error } from '../errors.ts'
import type { Query } from './query.ts'
import type { Target } from './target.ts'

type Level = 'service' | 'bucket' | 'object'

/** By level, method, and the query parameter that selects the operation; without one, `METHOD` alone. */
const operations = {
  service: { GET: 'ListBuckets' },
  bucket: {
    GET: 'ListObjects',
    'GET list-type': 'ListObjectsV2',
    'GET location': 'GetBucketLocation',
    'GET uploads': 'ListMultipartUploads',
    'GET versions': 'ListObjectVersions',
    'GET cors': 'GetBucketCors',
    'GET acl': 'GetBucketAcl',
    'GET ownershipControls': 'GetBucketOwnershipControls',
    HEAD: 'HeadBucket',
    PUT: 'CreateBucket',
    'PUT cors': 'PutBucketCors',
    'PUT acl': 'PutBucketAcl',
    DELETE: 'DeleteBucket',
    'DELETE cors': 'DeleteBucketCors',
    POST: 'PostObject',
    'POST delete': 'DeleteObjects',
  },
  object: {
    GET: 'GetObject',
    'GET acl': 'GetObjectAcl',
    'GET attributes': 'GetObjectAttributes',
    'GET tagging': 'GetObjectTagging',
    'GET uploadId': 'ListParts',
    HEAD: 'HeadObject',
    PUT: 'PutObject',
    'PUT acl': 'PutObjectAcl',
    'PUT tagging': 'PutObjectTagging',
    'PUT uploadId': 'UploadPart',
    DELETE: 'DeleteObject',
    'DELETE tagging': 'DeleteObjectTagging',
    'DELETE uploadId': 'AbortMultipartUpload',
    'POST uploads': 'CreateMultipartUpload',
    'POST uploadId': 'CompleteMultipartUpload',
    'POST restore': 'RestoreObject',
  },
} as const

type Table = typeof operations
type NameOf<T> = T[keyof T]

export type OperationName =
  | NameOf<Table['service']>
  | NameOf<Table['bucket']>
  | NameOf<Table['object']>
  | 'CopyObject'
  | 'UploadPartCopy'
  | 'Preflight'

/** Parameters that select an operation in S3, whether the door has it or not. */
const subresources = [
  'accelerate',
  'acl',
  'abac',
  'analytics',
  'attributes',
  'cors',
  'delete',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'legal-hold',
  'lifecycle',
  'location',
  'logging',
  'metadataConfiguration',
  'metadataTable',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'renameObject',
  'replication',
  'requestPayment',
  'restore',
  'retention',
  'select',
  'session',
  'tagging',
  'torrent',
  'uploads',
  'uploadId',
  'versioning',
  'versions',
  'website',
] as const

/** Throws `NotImplemented` for an operation of S3 that the door lacks, `MethodNotAllowed` for one that S3 lacks. */
export function findOperation(method: string, target: Target, headers: IncomingHttpHeaders): OperationName {
  if (method === 'OPTIONS') return 'Preflight'
  const level = levelOf(target)
  const { query } = target
  assertVersion(query)
  const selector =
    subresources.find((name) => query.has(name)) ?? (isV2(method, level, query) ? 'list-type' : undefined)
  const table: Partial<Record<string, OperationName>> = operations[level]
  const found = table[selector === undefined ? method : `${method} ${selector}`]
  if (found === undefined) throw missing(method, level, selector)
  return copied(found, headers, query)
}

function levelOf({ bucket, key }: Target): Level {
  if (bucket === undefined) return 'service'
  return key === undefined ? 'bucket' : 'object'
}

function isV2(method: string, level: Level, query: Query): boolean {
  return method === 'GET' && level === 'bucket' && query.get('list-type') === '2'
}

/** Without versions, an object has only the version `null`. */
function assertVersion(query: Query): void {
  const version = query.get('versionId')
  if (version === undefined || version === 'null') return
  throw new S3Error('InvalidArgument', 'Invalid version id specified', {
    ArgumentName: 'versionId',
    ArgumentValue: version,
  })
}

function missing(method: string, level: Level, selector: string | undefined): S3Error {
  if (selector !== undefined) return new S3Error('NotImplemented')
  const isKnown = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].includes(method)
  const resourceType = { service: 'SERVICE', bucket: 'BUCKET', object: 'OBJECT' }[level]
  return new S3Error(
    'MethodNotAllowed',
    undefined,
    isKnown ? { Method: method, ResourceType: resourceType } : { ResourceType: resourceType },
  )
}

/** SDKs move the header of a presigned copy to its query. */
function copied(found: OperationName, headers: IncomingHttpHeaders, query: Query): OperationName {
  const isPresigned = query.has('X-Amz-Signature')
  const inQuery = isPresigned && [...query.names()].some((name) => name.toLowerCase() === 'x-amz-copy-source')
  if (headers['x-amz-copy-source'] === undefined && !inQuery) return found
  if (found === 'PutObject') return 'CopyObject'
  return found === 'UploadPart' ? 'UploadPartCopy' : found
}
