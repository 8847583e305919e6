import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SystemUser } from './unprivileged-user.ts'

/** The first directory on an absolute path that `user` may not enter, by permission bits; undefined if none. */
export async function findClosedDir(path: string, user: SystemUser): Promise<string | undefined> {
  const parent = dirname(path)
  const closed = parent === path ? undefined : await findClosedDir(parent, user)
  if (closed !== undefined) return closed
  const entry = await stat(path)
  if (!entry.isDirectory()) return undefined
  const shift = entry.uid === user.uid ? 6 : entry.gid === user.gid ? 3 : 0
  return (entry.mode >> shift) & 1 ? undefined : path
}
