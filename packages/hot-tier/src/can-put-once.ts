import { S3Error } from '@tideport/s3-client/s3-error'
import type { StoreCalls } from './store-calls.ts'

/** Beside all keys of files. It stays, so that one PUT tells whoever asks later. */
const TRIED_KEY = 'tideport-put-once'

/** What says that something was there first, or was just about to be. */
const IS_THERE = [409, 412]

/**
 * Asks a store, once, whether it minds `If-None-Match` of a PUT: one that replaces the object, or does not know the
 * header, does not. It answers the same for as long as the process lives; what the store does not answer is asked again
 * with the next call.
 */
export function canPutOnce(ask: StoreCalls['ask']): () => Promise<boolean> {
  let known: Promise<boolean> | undefined
  return () => {
    known ??= find(ask).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
}

/** The first PUT there ever is makes the object, the second has to be refused for it. */
async function find(ask: StoreCalls['ask']): Promise<boolean> {
  return (await put(ask)) === 'there' || (await put(ask)) === 'there'
}

async function put(ask: StoreCalls['ask']): Promise<'made' | 'there' | 'refused'> {
  const headers = { 'content-type': 'text/plain', 'if-none-match': '*' }
  try {
    await ask('PutObject', { method: 'PUT', key: TRIED_KEY, headers, body: 'x' })
    return 'made'
  } catch (error) {
    if (isNotImplemented(error)) return 'refused'
    if (!(error instanceof S3Error)) throw error
    return IS_THERE.includes(error.status) ? 'there' : 'refused'
  }
}

/** As a failure of the store it says nothing; but stores say so as well that they do not know a header. */
function isNotImplemented(error: unknown): boolean {
  const { cause } = error as { cause?: unknown }
  return cause instanceof S3Error && cause.status === 501
}
