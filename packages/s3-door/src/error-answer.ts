import type { S3Error } from './errors.ts'
import { toS3Error } from './operations/refusals.ts'
import { writeError, XML_DECLARATION, type XmlElement } from './xml/write-xml.ts'

interface Asked {
  method: string
  /** The path of the request. */
  resource: string
  requestId: string
}

interface Shown {
  status: number
  headers: Record<string, string>
  body: string
}

/** The response to an error outside the door. */
export function writeRefusal(error: unknown, asked: Asked): Shown {
  return showError(toS3Error(error, { bucket: '', key: '' }), asked)
}

export function showError(error: S3Error, asked: Asked): Shown {
  const { status, retryAfterSeconds } = error
  const headers: Record<string, string> = { 'content-type': 'application/xml' }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  // A response to HEAD has no body.
  const isBare = asked.method === 'HEAD' || status === 304
  return { status, headers, body: isBare ? '' : XML_DECLARATION + errorDocument(error, asked) }
}

export function errorDocument({ code, message, fields }: S3Error, { resource, requestId }: Asked): string {
  const own = Object.entries(fields).map(([name, value]): XmlElement => [name, printable(value)])
  return writeError([
    ['Code', code],
    ['Message', printable(message)],
    ...own,
    ['Resource', resource],
    ['RequestId', requestId],
    ['HostId', requestId],
  ])
}

/** Errors quote what the client sent. XML has no form for control characters, so a client could not read the error. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it replaces.
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd').toWellFormed()
}
