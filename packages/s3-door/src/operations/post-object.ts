import type { IncomingMessage } from 'node:http'
import { type Form, type FormFile, keyOfForm, readForm } from '../body/form.ts'
import { readChecksums } from '../checksums/read-checksums.ts'
import { S3Error } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { ObjectView, Place } from '../files-port.ts'
import { quoted } from '../labels/object-headers.ts'
import { readLabels } from '../labels/read-labels.ts'
import { readTagging } from '../labels/tags.ts'
import { assertKey, type Target } from '../routing/target.ts'
import { checkPolicy } from '../signature/policy.ts'
import { readPolicyClaim } from '../signature/policy-claim.ts'
import { writePostResponse } from '../xml/write-xml.ts'
import { assertAcl } from './acls.ts'
import { type Answer, xml } from './call.ts'
import { encodeKey } from './list-parameters.ts'
import { BODY_MAX_BYTES, writtenHeaders } from './write-object.ts'

type Sent = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

/** Stores the file of an HTML form whose policy is signed. */
export async function postObject(exchange: Exchange, target: Target, { region }: { region: string }): Promise<Answer> {
  const { headers } = exchange.request
  const contentLength = Number(headers['content-length'] ?? Number.NaN)
  const form = await readForm(await exchange.openBody(true), {
    contentType: headers['content-type'],
    contentLength: Number.isNaN(contentLength) ? undefined : contentLength,
  })
  const place = { bucket: target.bucket ?? '', key: keyOfForm(form) }
  assertKey(place.key)
  const claim = readPolicyClaim(form.fields, { region, now: new Date() })
  if (claim === null) {
    await exchange.admitUnsigned()
    throw new S3Error('AccessDenied')
  }
  // Until here the client is unknown, and the door has read no more than the fields.
  const { files } = await exchange.admit(claim, (key) => void claim.verify([key]))
  const file = await form.openFile()
  assertPermitted(claim.policy, { form, place, file })
  const sent = asHeaders(form)
  await assertAcl(sent.headers, { files, bucket: place.bucket })
  const { digests, chosen, contentMd5 } = readChecksums(sent.headers)
  const wanted = [chosen ?? ('crc64nvme' as const)]
  const { sizeBytes, bytes } = file
  const object = { ...readLabels(sent), tags: readFormTags(form), digests, wanted }
  const stored = await files.putObject(place, object, { sizeBytes, bytes, digests, wanted, contentMd5, trailer: null })
  return answerForm(form, { place, stored, location: locationOf(exchange, place) })
}

function assertPermitted(policy: string, { form, place, file }: { form: Form; place: Place; file: FormFile }): void {
  const { sizeBytes } = file
  checkPolicy(policy, { ...place, fields: form.fields, sizeBytes, now: new Date() })
  if (sizeBytes <= BODY_MAX_BYTES) return
  throw new S3Error('EntityTooLarge', undefined, {
    ProposedSize: String(sizeBytes),
    MaxSizeAllowed: String(BODY_MAX_BYTES),
  })
}

/** Fields have the names of headers. Node reads headers as Latin-1. */
function asHeaders({ fields, contentType }: Form): Sent {
  const type: [string, string][] = contentType === undefined ? [] : [['content-type', contentType]]
  const acl = fields.get('acl')
  const pairs = new Map([...type, ...fields, ...(acl === undefined ? [] : [['x-amz-acl', acl] as const])])
  const headers = Array.from(pairs, ([name, value]) => [name, Buffer.from(value).toString('latin1')] as const)
  return { headers: Object.fromEntries(headers), rawHeaders: headers.flat() }
}

function readFormTags({ fields }: Form): Record<string, string> | null {
  const tagging = fields.get('tagging')
  return tagging === undefined ? null : readTagging(Buffer.from(tagging))
}

function locationOf({ request }: Exchange, { bucket, key }: Place): string {
  return `http://${request.headers.host ?? ''}/${bucket}/${encodeKey(key)}`
}

interface Stored {
  place: Place
  stored: ObjectView
  location: string
}

function answerForm({ fields }: Form, { place, stored, location }: Stored): Answer {
  const redirect = fields.get('success_action_redirect') ?? fields.get('redirect')
  if (redirect !== undefined && URL.canParse(redirect) && /^https?:/i.test(redirect)) {
    const url = new URL(redirect)
    const found = { bucket: place.bucket, key: place.key, etag: quoted(stored.etag) }
    for (const [name, value] of Object.entries(found)) url.searchParams.append(name, value)
    return { status: 303, headers: { location: url.href } }
  }
  const headers = { ...writtenHeaders(stored), location }
  const status = fields.get('success_action_status')
  if (status === '200') return { status: 200, headers }
  if (status !== '201') return { status: 204, headers }
  return { ...xml(writePostResponse({ ...place, etag: quoted(stored.etag), location }), headers), status: 201 }
}
