import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from './temporary-directory.ts'
import { type WaitOptions, waitFor } from './wait-for.ts'

/** Arms failpoints of development processes whose `FAILPOINT_DIR` is `directory` (service-kit's failpoint.ts). */
export async function createFailpoints() {
  const { path: directory, [Symbol.asyncDispose]: dispose } = await createTemporaryDirectory('failpoints')

  return {
    directory,
    /** The next process that reaches the failpoint kills itself with SIGKILL, once. */
    kill: (name: string) => writeFile(join(directory, name), ''),
    /** Resolves when a process has hit the failpoint that `kill` armed. */
    async waitUntilHit(name: string, wait: WaitOptions = {}): Promise<void> {
      await waitFor(() => !existsSync(join(directory, name)), { what: `a process to die at ${name}`, ...wait })
    },
    /** Every process that reaches the failpoint waits until `release`. */
    pause: (name: string) => writeFile(join(directory, name), 'pause'),
    release: (name: string) => rm(join(directory, name), { force: true }),
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

export type Failpoints = Awaited<ReturnType<typeof createFailpoints>>
