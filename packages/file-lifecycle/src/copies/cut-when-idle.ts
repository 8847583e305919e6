import type { Readable } from 'node:stream'

const LOOK_MS = 3_000
/** After 30 s of waiting. */
const LOOKS_IN_VAIN = 10

/**
 * The claim is renewed for as long as the copy lasts, so a store that stops sending must not make it last for ever. What
 * was sent and is not yet read, because the reader is slow, is nothing to wait for. The caller reads the body or destroys
 * it; one that fails before it is read takes no process down.
 */
export function cutWhenIdle(body: Readable, sender: string): Readable {
  if (body.closed) return body
  let inVain = 0
  const timer = setInterval(() => {
    inVain = body.readableLength > 0 ? 0 : inVain + 1
    if (inVain === LOOKS_IN_VAIN) body.destroy(new Error(`The ${sender} stopped sending`))
  }, LOOK_MS)
  // Not 'data', which would start the flow before anybody reads.
  body.on('readable', () => {
    inVain = 0
  })
  body.on('close', () => clearInterval(timer))
  body.on('error', () => undefined)
  return body
}
