import { S3Error } from '../errors.ts'
import { malformed, readDocument, textOf } from '../xml/read-xml.ts'
import type { Operation } from './call.ts'
import { readVerified } from './verified-body.ts'

const DOCUMENT_MAX_BYTES = 64 * 1024

/** 202 begins a restore, and 200 prolongs one. */
export const restoreObject: Operation = async (call) => {
  const document = readDocument(await readVerified(call, DOCUMENT_MAX_BYTES), 'RestoreRequest')
  if (['SelectParameters', 'OutputLocation', 'Type'].some((name) => document[name] !== undefined)) {
    throw new S3Error('NotImplemented')
  }
  const days = Number(textOf(document, 'Days')?.trim())
  if (!Number.isSafeInteger(days) || days < 1) throw malformed()
  const outcome = await call.files.restoreObject(call.place, days)
  if (outcome === 'ongoing') throw new S3Error('RestoreAlreadyInProgress')
  if (outcome === 'not_cold') throw new S3Error('InvalidObjectState')
  return { status: outcome === 'requested' ? 202 : 200 }
}
