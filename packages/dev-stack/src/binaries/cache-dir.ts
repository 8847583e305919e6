import { mkdir } from 'node:fs/promises'
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

/** With a read-only home directory, such as that of a system user, the cache needs another place. */
export async function makeCacheDir(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o755 }).catch((cause: Error) => {
    throw new Error(`The cache directory ${dir} cannot be created. Set TIDEPORT_CACHE_DIR to another one.`, { cause })
  })
}

/** Every user of the machine can read it; only root can write to it. */
export const systemCacheDir = '/var/cache/tideport'
