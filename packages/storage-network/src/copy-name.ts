import { NetworkError } from './errors.ts'
import { parseCid } from './unixfs/cid.ts'

const REFERENCE = /^[A-Za-z0-9_-]{1,128}$/

/** References become names of files and objects, so nothing else may pass. */
export function assertReference(reference: string): void {
  if (!REFERENCE.test(reference))
    throw new NetworkError('refused', 'a reference must be 1 to 128 letters, digits, "-", or "_"')
}

/** How each call of a driver begins. */
export function begin(reference: string | undefined, signal: AbortSignal): void {
  signal.throwIfAborted()
  if (reference !== undefined) assertReference(reference)
}

export const isBlobId = (text: string): boolean => parseCid(text) !== null
export const isReference = (text: string): boolean => REFERENCE.test(text)
