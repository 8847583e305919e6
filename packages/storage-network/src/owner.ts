import { NetworkError } from './errors.ts'
import type { NetworkIdentity } from './identity.ts'

/** How long a successful check counts for `ensure`. */
const KNOWN_MS = 15_000

/** The content of the marker in a network's place: the owner. */
export interface Marker {
  installation: string
  network: string
}

/** Identifies the owner of a place by a marker, so that another place never passes for an empty network. */
export interface Owner {
  /** Checks the marker now. @throws NetworkError `unreachable` (`missing`, `foreign`, `unreadable`), `copy_failed` */
  check(signal: AbortSignal): Promise<void>
  /** Like `check`, but accepts a successful check of the last 15 seconds. */
  ensure(signal: AbortSignal): Promise<void>
}

/** `place` is the word for messages, such as `bucket`. `readMarker` returns null if no marker exists. */
export function createOwner(
  place: string,
  readMarker: (signal: AbortSignal) => Promise<Marker | null>,
  { name, installationId }: NetworkIdentity,
): Owner {
  let foundAt = Number.NEGATIVE_INFINITY
  const check: Owner['check'] = async (signal) => {
    const installation = await installationId()
    foundAt = Number.NEGATIVE_INFINITY
    const found = await readMarker(signal)
    if (found === null) {
      const message = `the network's ${place} has no marker: it was not set up, or it is the wrong one`
      throw new NetworkError('unreachable', message, { fault: 'missing' })
    }
    if (found.installation !== installation || found.network !== name) {
      const message = `the ${place} belongs to the network ${found.network} of installation ${found.installation}, not to ${name} of ${installation}`
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

/** @throws NetworkError `unreachable` (`unreadable`) */
export function parseMarker(place: string, text: string): Marker {
  try {
    const { installation, network } = JSON.parse(text)
    if (typeof installation === 'string' && typeof network === 'string') return { installation, network }
  } catch {}
  throw new NetworkError('unreachable', `the marker of the network's ${place} cannot be read`, { fault: 'unreadable' })
}

export function formatMarker({ installation, network }: Marker): Buffer {
  return Buffer.from(`${JSON.stringify({ installation, network })}\n`)
}
