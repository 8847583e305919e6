import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type SystemUser = { name: string; uid: number; gid: number }

/** `nobody` for root, because Postgres refuses to run as root; undefined for other users. */
export async function unprivilegedUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const name = 'nobody'
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => promisify(execFile)('id', [flag, name])))
  return { name, uid: Number(uid?.stdout), gid: Number(gid?.stdout) }
}
