import { S3Error } from '../errors.ts'
import type { DeletedObject, DeleteResult } from '../files-port.ts'
import { malformed, nodesOf, readDocument, textOf, type XmlNode } from '../xml/read-xml.ts'
import { writeDocument, type XmlElement } from '../xml/write-xml.ts'
import { type Call, noContent, type Operation, xml } from './call.ts'
import { codeOf } from './refusals.ts'
import { readVerified } from './verified-body.ts'

const OBJECTS_MAX = 1000
const DOCUMENT_MAX_BYTES = 4 * 1024 * 1024
const KEY_MAX_BYTES = 1024

export const deleteObject: Operation = async ({ request: { headers }, files, place }) => {
  const size = headers['x-amz-if-match-size']?.toString()
  await files.deleteObject(place, {
    ifMatch: headers['if-match'],
    lastModified: toIso(headers['x-amz-if-match-last-modified-time']?.toString()),
    sizeBytes: size === undefined ? undefined : Number(size),
  })
  return noContent
}

export const deleteObjects: Operation = async (call) => {
  const document = readDocument(await readVerified(call, DOCUMENT_MAX_BYTES, { isRequired: true }), 'Delete')
  const nodes = nodesOf(document, 'Object')
  if (nodes.length > OBJECTS_MAX) throw malformed()
  const asked = nodes.map(readEntry)
  const { results } = await deleteAll(call, asked)
  const isQuiet = textOf(document, 'Quiet')?.trim().toLowerCase() === 'true'
  const shown = results.filter(({ code }) => code !== null || !isQuiet).map(showResult)
  return xml(writeDocument('DeleteResult', shown))
}

function toIso(time: string | undefined): string | undefined {
  if (time === undefined) return undefined
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) throw malformed()
  return date.toISOString()
}

type Asked = DeletedObject & { refused: S3Error | null }

function readEntry(node: XmlNode): Asked {
  const key = textOf(node, 'Key')
  if (key === undefined || key === '') throw malformed()
  const size = textOf(node, 'Size')
  if (size !== undefined && !/^\d{1,15}$/.test(size)) throw malformed()
  return {
    key,
    ifMatch: textOf(node, 'ETag'),
    lastModified: toIso(textOf(node, 'LastModifiedTime')),
    sizeBytes: size === undefined ? undefined : Number(size),
    refused: refusalOf(key, textOf(node, 'VersionId')),
  }
}

function refusalOf(key: string, version: string | undefined): S3Error | null {
  if (Buffer.byteLength(key) > KEY_MAX_BYTES) return new S3Error('KeyTooLongError')
  if (version !== undefined && version !== 'null' && version !== '') return new S3Error('NoSuchVersion')
  return null
}

/** Entries that cannot name an object are not sent. The order is that of the request. */
async function deleteAll({ files, place }: Call, asked: readonly Asked[]) {
  const sent = asked.filter(({ refused }) => refused === null).map(({ refused: _, ...object }) => object)
  const answers = sent.length === 0 ? [] : await files.deleteObjects(place.bucket, sent)
  if (sent.length === 0) await files.findBucket(place.bucket)
  let next = 0
  const results = asked.map(({ key, refused }): DeleteResult => {
    if (refused !== null) return { key, code: refused.code, error: refused.message }
    const answer = answers[next++] as DeleteResult
    return answer.code === null ? answer : { ...answer, code: codeOf(answer.code) }
  })
  return { results }
}

function showResult({ key, code, error }: DeleteResult): XmlElement {
  if (code === null) return ['Deleted', [['Key', key]]]
  return [
    'Error',
    [
      ['Key', key],
      ['Code', code],
      ['Message', error],
    ],
  ]
}
