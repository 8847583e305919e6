import type { IncomingMessage } from 'node:http'
import { S3Error } from '../errors.ts'
import type { Labels, ReadConditions, WriteConditions } from '../files-port.ts'
import { fromHeader, readMetadata } from './metadata.ts'
import { readTagHeader } from './tags.ts'
import { notImplemented, refuseUnsupported } from './unsupported.ts'

const redirectHeader = 'x-amz-website-redirect-location'

/** Headers that are stored with an object and returned with it. */
const kept = ['cache-control', 'content-disposition', 'content-language', 'expires', redirectHeader] as const

const defaultType = 'binary/octet-stream'

type Sent = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

export function readLabels(request: Sent): Labels {
  const { headers } = request
  refuseUnsupported(headers)
  const found: Record<string, string> = {}
  for (const name of kept) if (headers[name] !== undefined) found[name] = fromHeader(String(headers[name]))
  if (!/^(?:\/|https?:\/\/|$)/.test(found[redirectHeader] ?? '')) throw new S3Error('InvalidRedirectLocation')
  const coding = withoutChunks(headers['content-encoding'])
  if (coding !== '') found['content-encoding'] = fromHeader(coding)
  return {
    mimeType: fromHeader(headers['content-type'] || defaultType),
    headers: found,
    metadata: readMetadata(request),
  }
}

/** `aws-chunked` describes the transfer, and is no part of the object. */
function withoutChunks(header: string | undefined): string {
  const codings = (header ?? '').split(',').map((coding) => coding.trim())
  return codings.filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked').join(', ')
}

export function readTags({ headers }: Pick<IncomingMessage, 'headers'>): Record<string, string> | null {
  const header = headers['x-amz-tagging']
  return header === undefined ? null : readTagHeader(String(header))
}

/** Only `If-None-Match: *` has a meaning for writes. */
export function readWriteConditions({ headers }: Pick<IncomingMessage, 'headers'>): WriteConditions {
  const ifNoneMatch = headers['if-none-match']
  const ifMatch = headers['if-match']
  const isUnknown = ifNoneMatch !== undefined && (ifNoneMatch !== '*' || ifMatch !== undefined)
  if (isUnknown) throw notImplemented('If-None-Match')
  return { ...(ifMatch !== undefined && { ifMatch }), ...(ifNoneMatch !== undefined && { ifNoneMatch }) }
}

/** The conditions of a read, or with a prefix those on the source of a copy. Invalid dates are ignored (RFC 9110). */
export function readConditions({ headers }: Pick<IncomingMessage, 'headers'>, prefix = ''): ReadConditions {
  const text = (name: string) => headers[`${prefix}${name}`]?.toString()
  const date = (name: string) => {
    const value = text(name)
    return value === undefined || Number.isNaN(Date.parse(value)) ? undefined : new Date(value).toUTCString()
  }
  return {
    ifMatch: text('if-match'),
    ifNoneMatch: text('if-none-match'),
    ifModifiedSince: date('if-modified-since'),
    ifUnmodifiedSince: date('if-unmodified-since'),
  }
}
