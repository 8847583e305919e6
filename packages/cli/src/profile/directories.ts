import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../grammar/context.ts'

/** Where profiles are, and keys where there is no keyring. By XDG; on Windows where programs keep such things. */
export const configDirectory = (environment: Environment): string =>
  join(environment.XDG_CONFIG_HOME || environment.APPDATA || join(homeOf(environment), '.config'), 'tideport')

/** Where a run that was cut off is remembered. Nothing is lost with it but time. */
export const stateDirectory = (environment: Environment): string =>
  join(
    environment.XDG_STATE_HOME || environment.LOCALAPPDATA || join(homeOf(environment), '.local', 'state'),
    'tideport',
  )

const homeOf = (environment: Environment) => environment.HOME || homedir()
