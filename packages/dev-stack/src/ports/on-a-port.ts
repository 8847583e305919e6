import { StartError } from '../processes/await-ready.ts'
import { freePort } from './free-port.ts'

const attempts = 5

/** Starts a server on `port`, or else on a free port. Tries other free ports if another process takes the port. */
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

export function isPortTaken(error: unknown): boolean {
  const isOurs = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
  return isOurs || (error instanceof StartError && /address already in use/i.test(error.message))
}
