import { S3Error } from '../errors.ts'
import { refuseAcl } from '../labels/unsupported.ts'
import { writeDocument, type XmlElement } from '../xml/write-xml.ts'
import { ownerOf } from './buckets.ts'
import { type Call, type Operation, xml } from './call.ts'

const instance = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

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
  refuseAcl(call.request.headers)
  if (call.request.headers['x-amz-acl'] === undefined) throw new S3Error('AccessControlListNotSupported')
  if (call.place.key === '') await call.files.findBucket(call.place.bucket)
  else await call.files.describeObject(call.place)
  return { status: 200 }
}

export const getOwnershipControls: Operation = async ({ files, place }) => {
  await files.findBucket(place.bucket)
  return xml(writeDocument('OwnershipControls', [['Rule', [['ObjectOwnership', 'BucketOwnerEnforced']]]]))
}
