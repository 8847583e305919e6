import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Environment, hostEnvironment } from '../processes/host-environment.ts'

/**
 * `TIDEPORT_CACHE_DIR`, else the XDG cache. Root gets a system directory, because the user that runs Postgres cannot
 * enter root's home directory.
 */
export function cacheDir(environment: Environment = hostEnvironment()): string {
  if (environment.TIDEPORT_CACHE_DIR) return resolve(environment.TIDEPORT_CACHE_DIR)
  if (process.getuid?.() === 0) return systemCacheDir
  const xdg = environment.XDG_CACHE_HOME
  return join(xdg?.startsWith('/') ? xdg : join(homedir(), '.cache'), 'tideport')
}

/** Every user of the machine can read it; only root can write to it. */
export const systemCacheDir = '/var/cache/tideport'
