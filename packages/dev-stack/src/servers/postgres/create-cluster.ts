import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { exists } from '../../file-system/exists.ts'
import type { SystemUser } from './unprivileged-user.ts'

type ClusterOptions = {
  home: string
  initdb: string
  env: Record<string, string>
  user: SystemUser | undefined
  durable: boolean
}

/**
 * Makes the cluster `home/cluster` unless it is there, and returns the superuser's password, which is kept beside it.
 * A making that was interrupted is begun anew.
 */
export async function createCluster({ home, initdb, env, user, durable }: ClusterOptions): Promise<string> {
  const [cluster, making] = [join(home, 'cluster'), join(home, 'cluster.making')]
  const passwordFile = join(home, 'password')
  if (await exists(cluster)) return readFile(passwordFile, 'utf8')
  await rm(making, { recursive: true, force: true })
  await mkdir(making, { mode: 0o700 })
  const password = randomBytes(24).toString('base64url')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (user !== undefined) for (const path of [making, passwordFile]) await chown(path, user.uid, user.gid)
  const args = ['--pgdata', making, '--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256']
  const text = ['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8']
  const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid }
  await promisify(execFile)(initdb, [...args, ...text, ...(durable ? [] : ['--no-sync'])], {
    cwd: home,
    env,
    ...identity,
  }).catch((error: Error & { stderr?: string }) => {
    throw new Error(`Postgres could not make its data directory: ${error.stderr || error.message}`, { cause: error })
  })
  if (user !== undefined) await chown(passwordFile, 0, 0) // back to root, where nobody else reads it
  await rename(making, cluster)
  return password
}
