import type { Readable } from 'node:stream'

const IDLE_MS = 30_000

/**
 * The claim is renewed for as long as the copy lasts, so a store that stops sending must not make it last for ever. The
 * caller reads the body or destroys it; one that fails before it is read takes no process down.
 */
export function cutWhenIdle(body: Readable, sender: string): Readable {
  const timer = setTimeout(() => body.destroy(new Error(`The ${sender} stopped sending`)), IDLE_MS)
  // Not 'data', which would start the flow before anybody reads.
  body.on('readable', () => timer.refresh())
  body.on('close', () => clearTimeout(timer))
  body.on('error', () => undefined)
  return body
}
