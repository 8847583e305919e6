import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '../grammar/context.ts'
import { makeFolder } from '../local/make-folder.ts'
import { stateDirectory } from './directories.ts'

/** What is remembered cannot be: the disk, or its place on it, is not to be written to. */
export class StateUnwritable extends Error {
  override readonly name = 'StateUnwritable'
}

/** A folder of what is remembered, for this user alone. Rejects with a `StateUnwritable` that says what to do. */
export async function stateFolder(environment: Environment, name: string): Promise<string> {
  const folder = join(stateDirectory(environment), name)
  try {
    await makeFolder(folder, 0o700)
    await access(folder, constants.W_OK)
    return folder
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new StateUnwritable(`${folder} cannot be written to (${code}): XDG_STATE_HOME names another place`, { cause })
  }
}
