import { hash } from 'node:crypto'
import { NetworkError } from '../errors.ts'
import type { NetworkIdentity } from '../identity.ts'
import type { Bucket } from './bucket.ts'
import { MARKER_KEY } from './keys.ts'
import { orNull, putObject } from './objects.ts'

/** How long an answer counts for who only wants to know that the bucket is there. */
const KNOWN_MS = 15_000

/**
 * Whose the bucket is, by a marker in it: so another bucket, or anything else that answers in its place, never passes
 * for a network without copies.
 */
export interface Owner {
  /**
   * Asks the bucket now; to be done after something was not found in it.
   * @throws NetworkError `unreachable` (`missing`, `foreign`, `unreadable`), `copy_failed`
   */
  check(signal: AbortSignal): Promise<void>
  /** The same, unless it was found to be ours a moment ago. */
  ensure(signal: AbortSignal): Promise<void>
}

export function createOwner(bucket: Bucket, { name, installationId }: NetworkIdentity): Owner {
  let foundAt = Number.NEGATIVE_INFINITY
  const check: Owner['check'] = async (signal) => {
    const installation = await installationId()
    foundAt = Number.NEGATIVE_INFINITY
    const found = await readMarker(bucket, signal)
    if (found === null) {
      const message = "the network's bucket has no marker: it was not set up, or is another one"
      throw new NetworkError('unreachable', message, { fault: 'missing' })
    }
    if (found.installation !== installation || found.network !== name) {
      const message = `the bucket is of the network ${found.network} of installation ${found.installation}, not of ${name} of ${installation}`
      throw new NetworkError('unreachable', message, { fault: 'foreign' })
    }
    foundAt = performance.now()
  }
  return {
    check,
    async ensure(signal) {
      signal.throwIfAborted()
      if (performance.now() - foundAt > KNOWN_MS) await check(signal)
    },
  }
}

interface Marker {
  installation: string
  network: string
}

/** Null: there is none. @throws NetworkError */
export async function readMarker(bucket: Bucket, signal: AbortSignal): Promise<Marker | null> {
  const answer = await orNull(bucket.ask({ method: 'GET', key: MARKER_KEY }, signal))
  if (answer === null) return null
  try {
    const { installation, network } = JSON.parse(answer.body)
    if (typeof installation === 'string' && typeof network === 'string') return { installation, network }
  } catch {}
  throw new NetworkError('unreachable', "the marker of the network's bucket cannot be read", { fault: 'unreadable' })
}

export async function writeMarker(bucket: Bucket, { installation, network }: Marker, signal: AbortSignal) {
  const bytes = Buffer.from(`${JSON.stringify({ installation, network })}\n`)
  const body = { pieces: [bytes], sizeBytes: bytes.length, sha256: hash('sha256', bytes) }
  await putObject(bucket, MARKER_KEY, body, { 'content-type': 'application/json' }, signal)
}
