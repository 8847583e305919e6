import { S3Error } from '../errors.ts'
import type { Files } from '../files-port.ts'
import { writeDocument, type XmlElement } from '../xml/write-xml.ts'
import { ownerOf } from './buckets.ts'
import { type Call, type Operation, xml } from './call.ts'

const instance = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

/** Canned ACLs that change nothing for an object: its bucket decides who may read it. */
const ownersAcls = new Set(['private', 'bucket-owner-full-control'])

/** Accepts only ACLs that state what is so anyway. */
export async function assertAcl(
  headers: Call['request']['headers'],
  { files, bucket }: { files: Files; bucket: string },
): Promise<void> {
  const acl = headers['x-amz-acl']?.toString()
  const isGranted = Object.keys(headers).some((name) => name.startsWith('x-amz-grant-'))
  if (isGranted) throw new S3Error('AccessControlListNotSupported')
  if (acl === undefined || ownersAcls.has(acl)) return
  const isSo = acl === 'public-read' && (await files.findBucket(bucket)).visibility === 'public'
  if (!isSo) throw new S3Error('AccessControlListNotSupported')
}

/** As with object ownership `BucketOwnerEnforced`: the owner has every right, and nobody else is named. */
export const getBucketAcl: Operation = async (call) => {
  await call.files.findBucket(call.place.bucket)
  return showAcl(call)
}

export const getObjectAcl: Operation = async (call) => {
  await call.files.describeObject(call.place)
  return showAcl(call)
}

function showAcl(call: Call) {
  const grantee: XmlElement = [`Grantee ${instance} xsi:type="CanonicalUser"`, ownerOf(call)]
  return xml(
    writeDocument('AccessControlPolicy', [
      ['Owner', ownerOf(call)],
      ['AccessControlList', [['Grant', [grantee, ['Permission', 'FULL_CONTROL']]]]],
    ]),
  )
}

/** Confirms the one ACL that exists. Every other one gets `AccessControlListNotSupported`. */
export const putAcl: Operation = async (call) => {
  if (call.request.headers['x-amz-acl'] === undefined) throw new S3Error('AccessControlListNotSupported')
  if (call.place.key === '') await call.files.findBucket(call.place.bucket)
  else await call.files.describeObject(call.place)
  return { status: 200 }
}

export const getOwnershipControls: Operation = async ({ files, place }) => {
  await files.findBucket(place.bucket)
  return xml(writeDocument('OwnershipControls', [['Rule', [['ObjectOwnership', 'BucketOwnerEnforced']]]]))
}
