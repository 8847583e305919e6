import type { Source } from '../files-port.ts'
import { readConditions } from '../labels/read-labels.ts'
import { assertKey } from '../routing/target.ts'
import { isBucketName } from './buckets.ts'
import { type Call, invalidArgument } from './call.ts'

const header = 'x-amz-copy-source'

/** `BUCKET/KEY`, percent-encoded, with an optional first slash and version. */
export function readSource({ request }: Call): Source {
  const sent = request.headers[header]?.toString() ?? ''
  // Before it is decoded: a key may contain the same characters, encoded.
  const [encoded = '', version] = sent.split('?versionId=')
  const path = decode(encoded).replace(/^\//, '')
  if (version !== undefined && version !== 'null')
    throw invalidArgument('versionId', version, 'Invalid version id specified')
  const [, bucket = '', key] = /^([^/]*)(?:\/(.*))?$/s.exec(path) ?? []
  if (!isBucketName(bucket)) throw invalidArgument(header, sent, 'Invalid copy source bucket name')
  if (!key) throw invalidArgument(header, sent, 'Invalid copy source object key')
  assertKey(key)
  return { bucket, key, ...readConditions(request, `${header}-`) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalidArgument(header, text, 'Invalid copy source encoding')
  }
}

const rangeHeader = 'x-amz-copy-source-range'

export function readSourceRange({ request }: Call): { start: number; end: number } | null {
  const sent = request.headers[rangeHeader]?.toString()
  if (sent === undefined || sent === '') return null
  const [, start, end] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(sent) ?? []
  if (start === undefined || Number(start) > Number(end)) {
    throw invalidArgument(
      rangeHeader,
      sent,
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
    )
  }
  return { start: Number(start), end: Number(end) }
}
