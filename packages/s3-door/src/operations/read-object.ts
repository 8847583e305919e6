import { S3Error } from '../errors.ts'
import { type Reading, Refusal } from '../files-port.ts'
import { objectHeaders } from '../labels/object-headers.ts'
import { readConditions } from '../labels/read-labels.ts'
import type { Query } from '../routing/query.ts'
import { type Call, invalidArgument, type Operation } from './call.ts'

const PARTS_MAX = 10_000

const overrides = {
  'response-cache-control': 'cache-control',
  'response-content-disposition': 'content-disposition',
  'response-content-encoding': 'content-encoding',
  'response-content-language': 'content-language',
  'response-content-type': 'content-type',
  'response-expires': 'expires',
} as const

/** GET and HEAD. The bytes pass from the files service to the client at the client's pace. */
export const readObject: Operation = async (call) => {
  const { request, target, files, place } = call
  const { headers } = request
  const partNumber = readPartNumber(target.query)
  const range = headers.range
  if (partNumber !== undefined && range !== undefined) {
    throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter')
  }
  const overridden = readOverrides(call)
  const query = {
    method: request.method === 'HEAD' ? 'HEAD' : 'GET',
    ...{ partNumber, range, conditions: readConditions(request) },
  } as const
  const wantsChecksums = isEnabled(headers['x-amz-checksum-mode'])
  try {
    await files.readObject(place, query, (reading) => {
      const described = headersOf(reading, { partNumber, wantsChecksums })
      if (reading.status === 304) return described
      // First, because Node decodes a Content-Disposition that follows Content-Length, and sends other bytes.
      return { ...overridden, ...described, ...overridden }
    })
  } catch (error) {
    throw partNumber !== undefined && isUnsatisfiable(error) ? new S3Error('InvalidPartNumber') : error
  }
  return null
}

export function isUnsatisfiable(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'range_not_satisfiable'
}

function headersOf(
  { status, object, contentLength, contentRange }: Reading,
  { partNumber, wantsChecksums }: { partNumber: number | undefined; wantsChecksums: boolean },
): Record<string, string> {
  if (object === null) return {}
  // A checksum covers the object: clients would compare it with the bytes of a part or range.
  const isWhole = status === 200 || (partNumber !== undefined && object.partCount === null)
  const described = objectHeaders(object, { withChecksums: wantsChecksums && isWhole })
  if (status === 304) return described
  return {
    ...described,
    ...(contentLength !== undefined && { 'content-length': contentLength }),
    ...(contentRange !== undefined && { 'content-range': contentRange }),
    ...(partNumber !== undefined && object.partCount !== null && { 'x-amz-mp-parts-count': String(object.partCount) }),
  }
}

export function readPartNumber(query: Query): number | undefined {
  const text = query.get('partNumber')
  if (text === undefined) return undefined
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= PARTS_MAX) return number
  throw invalidArgument('partNumber', text, 'Part number must be an integer between 1 and 10000, inclusive.')
}

/** Only a signed request may change headers: otherwise, anybody could make a public file a program of its origin. */
function readOverrides({ target: { query }, accountId }: Call): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, header] of Object.entries(overrides)) {
    const value = query.get(name)
    if (value !== undefined) found[header] = headerText(name, value)
  }
  if (accountId === null && Object.keys(found).length > 0) {
    throw new S3Error('InvalidRequest', 'Request specific response headers cannot be used for anonymous GET requests.')
  }
  return found
}

function headerText(name: string, value: string): string {
  const text = Buffer.from(value).toString('latin1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: characters that no header may contain
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(text)) throw invalidArgument(name, value)
  return text
}

export function isEnabled(mode: string | string[] | undefined): boolean {
  return mode?.toString().toUpperCase() === 'ENABLED'
}
