import type { OperationName } from '../routing/operation.ts'
import { getBucketAcl, getObjectAcl, getOwnershipControls, putAcl } from './acls.ts'
import { getObjectAttributes } from './attributes.ts'
import { createBucket, deleteBucket, getBucketLocation, headBucket, listBuckets } from './buckets.ts'
import type { Operation } from './call.ts'
import { completeUpload } from './complete-upload.ts'
import { deleteBucketCors, getBucketCors, putBucketCors } from './cors.ts'
import { deleteObject, deleteObjects } from './delete-objects.ts'
import { listObjects, listObjectsV2, listObjectVersions } from './list-objects.ts'
import { listParts, listUploads } from './list-uploads.ts'
import { readObject } from './read-object.ts'
import { restoreObject } from './restore.ts'
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from './tagging.ts'
import { abortUpload, copyPart, createUpload, uploadPart } from './uploads.ts'
import { copyObject, putObject } from './write-object.ts'

/** All operations of signed requests. */
export const operations = {
  ListBuckets: listBuckets,
  CreateBucket: createBucket,
  HeadBucket: headBucket,
  GetBucketLocation: getBucketLocation,
  GetBucketAcl: getBucketAcl,
  GetBucketCors: getBucketCors,
  GetBucketOwnershipControls: getOwnershipControls,
  PutBucketAcl: putAcl,
  PutBucketCors: putBucketCors,
  DeleteBucket: deleteBucket,
  DeleteBucketCors: deleteBucketCors,
  ListObjects: listObjects,
  ListObjectsV2: listObjectsV2,
  ListObjectVersions: listObjectVersions,
  ListMultipartUploads: listUploads,
  DeleteObjects: deleteObjects,
  GetObject: readObject,
  HeadObject: readObject,
  GetObjectAcl: getObjectAcl,
  GetObjectAttributes: getObjectAttributes,
  GetObjectTagging: getObjectTagging,
  PutObject: putObject,
  CopyObject: copyObject,
  PutObjectAcl: putAcl,
  PutObjectTagging: putObjectTagging,
  DeleteObject: deleteObject,
  DeleteObjectTagging: deleteObjectTagging,
  RestoreObject: restoreObject,
  CreateMultipartUpload: createUpload,
  UploadPart: uploadPart,
  UploadPartCopy: copyPart,
  CompleteMultipartUpload: completeUpload,
  AbortMultipartUpload: abortUpload,
  ListParts: listParts,
} as const satisfies Partial<Record<OperationName, Operation>>

/** Operations that may take long: the response begins before their result is known. */
export const slowOperations: ReadonlySet<OperationName> = new Set([
  'CompleteMultipartUpload',
  'CopyObject',
  'UploadPartCopy',
])
