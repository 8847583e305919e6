import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type SystemUser = { name: string; uid: number; gid: number }

/**
 * The user that Postgres runs as when we are root, because it refuses root: `nobody`, which every system has, so none
 * is created. Undefined when we are an ordinary user and need no other.
 */
export async function unprivilegedUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const name = 'nobody'
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => promisify(execFile)('id', [flag, name])))
  return { name, uid: Number(uid?.stdout), gid: Number(gid?.stdout) }
}
