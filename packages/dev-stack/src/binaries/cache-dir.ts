import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Environment, hostEnvironment } from '../processes/host-environment.ts'

/**
 * `TIDEPORT_CACHE_DIR`, or the XDG cache; for root a system directory, because Postgres' user cannot enter root's home.
 */
export function cacheDir(environment: Environment = hostEnvironment()): string {
  if (environment.TIDEPORT_CACHE_DIR) return resolve(environment.TIDEPORT_CACHE_DIR)
  if (process.getuid?.() === 0) return systemCacheDir
  const xdg = environment.XDG_CACHE_HOME
  return join(xdg?.startsWith('/') ? xdg : join(homedir(), '.cache'), 'tideport')
}

/** Readable by every user of the machine, writable by root. */
export const systemCacheDir = '/var/cache/tideport'
