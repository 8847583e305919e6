import { access, constants } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../grammar/context.ts'
import { makeFolder } from '../local/make-folder.ts'

/** Folder of profiles, and of keys without a keyring: the XDG folder, or the roaming folder on Windows. */
export const configDirectory = (environment: Environment): string =>
  join(environment.XDG_CONFIG_HOME || environment.APPDATA || join(homeOf(environment), '.config'), 'tideport')

export const stateDirectory = (environment: Environment): string =>
  join(
    environment.XDG_STATE_HOME || environment.LOCALAPPDATA || join(homeOf(environment), '.local', 'state'),
    'tideport',
  )

const homeOf = (environment: Environment) => environment.HOME || homedir()

export class StateUnwritable extends Error {
  override readonly name = 'StateUnwritable'
}

/** A state folder that only this user can access. Rejects with a `StateUnwritable` that names the remedy. */
export async function stateFolder(environment: Environment, name: string): Promise<string> {
  const folder = join(stateDirectory(environment), name)
  try {
    await makeFolder(folder, 0o700)
    await access(folder, constants.W_OK)
    return folder
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new StateUnwritable(`${folder} is not writable (${code}). Set XDG_STATE_HOME to a writable folder`, { cause })
  }
}
