import type { IncomingHttpHeaders } from 'node:http'
import { S3Error } from '../errors.ts'

const storageClasses = new Set([
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'GLACIER_IR',
  'DEEP_ARCHIVE',
])

/** Throws for headers that ask for what no object can have, so that nobody relies on it. */
export function refuseUnsupported(headers: IncomingHttpHeaders): void {
  const storageClass = headers['x-amz-storage-class']
  // The life cycle of the file decides where its bytes are.
  if (storageClass !== undefined && !storageClasses.has(String(storageClass))) throw new S3Error('InvalidStorageClass')
  refuseLock(headers)
  const refused = Object.keys(headers).find((name) => name.startsWith('x-amz-server-side-encryption'))
  if (refused !== undefined) throw notImplemented(refused)
}

/** Invalid values get the errors that S3 returns for them. */
function refuseLock(headers: IncomingHttpHeaders): void {
  const until = headers['x-amz-object-lock-retain-until-date']
  const mode = headers['x-amz-object-lock-mode']
  const hold = headers['x-amz-object-lock-legal-hold']
  if (until !== undefined) {
    const time = Date.parse(String(until))
    const invalid = (message: string) =>
      new S3Error('InvalidArgument', message, {
        ArgumentName: 'x-amz-object-lock-retain-until-date',
        ArgumentValue: String(until),
      })
    if (Number.isNaN(time)) throw invalid('The retain until date must be provided in ISO 8601 format')
    if (time <= Date.now()) throw invalid('The retain until date must be in the future!')
  }
  const given = [until, mode, hold].some((value) => value !== undefined)
  if (given) throw notImplemented('x-amz-object-lock')
}

export function notImplemented(header: string): S3Error {
  return new S3Error('NotImplemented', 'A header you provided implies functionality that is not implemented.', {
    Header: header,
  })
}
