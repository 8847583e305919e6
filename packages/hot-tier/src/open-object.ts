import type { Readable } from 'node:stream'
import type { OpenAnswer } from '@tideport/s3-client/s3-client'
import { malformed } from '@tideport/s3-client/s3-error'
import { isNamed, type StoreCalls, unavailable } from './store-calls.ts'

/** Of an object that should have so many bytes: all of them, or those from `start` to `end`, both included. */
export interface WantedBytes {
  sizeBytes: number
  range?: { start: number; end: number } | undefined
}

interface Calls extends Pick<StoreCalls, 'open'> {
  /** The size of an object as the bucket lists it; null when it does not. */
  findListed(key: string, signal: AbortSignal): Promise<number | null>
}

/**
 * Opens an object's bytes, whatever its size where none is told. What the bucket's list does not bear out, that it is not
 * there or has another size, was said by something that stands in the store's place.
 */
export async function openObject(
  { open, findListed }: Calls,
  key: string,
  wanted: WantedBytes | undefined,
  signal: AbortSignal,
): Promise<Readable | null> {
  const range = wanted?.range
  const headers = range && { range: `bytes=${range.start}-${range.end}` }
  const answer = await open('GetObject', { method: 'GET', key, ...(headers && { headers }) }, signal).catch(
    (error: unknown) => {
      if (isNamed(error, 'NoSuchKey')) return error as Error
      throw error
    },
  )
  if (answer instanceof Error) {
    if ((await findListed(key, signal)) !== null) throw unavailable(answer)
    return null
  }
  const { body } = answer
  // Until it is read, a body that fails must not take the process down.
  body.on('error', () => undefined)
  const sizeBytes = sizeIn(answer, range)
  if (wanted === undefined || sizeBytes === wanted.sizeBytes) return body
  try {
    if (sizeBytes !== null && (await findListed(key, signal)) === sizeBytes) return body
  } catch (error) {
    body.destroy()
    throw error
  }
  body.destroy()
  throw unavailable(malformed('has other bytes than it was asked for'))
}

/** Of the whole object, as an answer tells it; null where it is none to this range. */
function sizeIn({ status, headers }: OpenAnswer, range: WantedBytes['range']): number | null {
  if (range === undefined) return status === 200 ? Number(headers['content-length']) : null
  const told = /^bytes (\d+)-\d+\/(\d+)$/.exec(String(headers['content-range']))
  return status === 206 && Number(told?.[1]) === range.start ? Number(told?.[2]) : null
}
