import { NetworkError } from './errors.ts'
import { parseCid } from './unixfs/cid.ts'

const REFERENCE = /^[A-Za-z0-9_-]{1,128}$/

/** References become names of files and objects, so no other characters are allowed. */
export function assertReference(reference: string): void {
  if (!REFERENCE.test(reference))
    throw new NetworkError('refused', 'a reference must be 1 to 128 letters, digits, "-", or "_"')
}

/** The first checks of every call of a driver. */
export function begin(reference: string | undefined, signal: AbortSignal): void {
  signal.throwIfAborted()
  if (reference !== undefined) assertReference(reference)
}

export const isBlobId = (text: string): boolean => parseCid(text) !== null
export const isReference = (text: string): boolean => REFERENCE.test(text)
