import { createHash } from 'node:crypto'
import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Journal } from '@tideport/sdk'
import { openJournal } from '@tideport/sdk/node'
import type { Environment } from '../grammar/context.ts'
import { absent } from '../local/absent.ts'
import { lockFile } from '../local/lock-file.ts'
import { stateFolder } from '../profile/directories.ts'

/** The service forgets uploads that nobody has finished, and idempotency keys, after that long. */
const LIFE_MS = 24 * 3600 * 1000

/**
 * Remembers finished uploads, so that an interrupted run (identified by `what`) resumes. One process at a time. Rejects
 * with a `StateUnwritable` if nothing can be remembered.
 */
export async function openRunJournal(environment: Environment, what: unknown) {
  const folder = await stateFolder(environment, 'uploads')
  const name = createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 32)
  const path = join(folder, `${name}.journal`)
  const lock = await lockFile(`${path}.lock`)
  try {
    const ended = `${path}.ended`
    await removeExpired(path)
    await removeExpired(ended)
    const isCutOff = (await stat(path).catch(absent)) !== null
    if (!isCutOff) await rename(ended, path).catch(absent)
    const journal = await openJournal(path)
    const write: Journal['write'] = (key, entry) =>
      Promise.resolve(journal.write(key, entry)).catch((cause: NodeJS.ErrnoException) => {
        // Else it would read like a fault of the file.
        throw new Error(`It cannot be remembered in ${folder} (${cause.code})`, { cause })
      })
    return {
      journal: { read: journal.read, write } satisfies Journal,
      /** Whether a run before was cut off, and knew one of these. */
      goesOn: (keys: Iterable<string>) => isCutOff && [...keys].some((key) => journal.read(key) !== undefined),
      /** Keeps what is known for another run if files failed in this one. */
      end: (isAllDone: boolean) => (isAllDone ? rm(path, { force: true }) : rename(path, ended)),
      async [Symbol.asyncDispose]() {
        await journal.close()
        await lock[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await lock[Symbol.asyncDispose]()
    throw error
  }
}

async function removeExpired(path: string): Promise<void> {
  const stats = await stat(path).catch(absent)
  if (stats && Date.now() - stats.mtimeMs > LIFE_MS) await rm(path)
}
