import { StartError } from '../processes/await-ready.ts'
import { freePort } from './free-port.ts'

const attempts = 5

/**
 * Starts a server on `port`, or on a free one: then a port that somebody else took between our look and the
 * server's start is no failure but a reason to take the next.
 */
export async function onAPort<T>(port: number | undefined, start: (port: number) => Promise<T>): Promise<T> {
  if (port !== undefined) return start(port)
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort())
    } catch (error) {
      if (!isPortTaken(error) || attempt === attempts) throw error
    }
  }
}

/** Whether a process did not come up because somebody else listens on its port. */
export function isPortTaken(error: unknown): boolean {
  const isOurs = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
  return isOurs || (error instanceof StartError && /address already in use/i.test(error.message))
}
