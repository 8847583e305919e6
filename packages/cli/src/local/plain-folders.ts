import { lstat, mkdir } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { absent } from './absent.ts'
import { localPath } from './local-path.ts'
import { makeFolder } from './make-folder.ts'

/** Rejects with a sentence if a folder below `root` is a symbolic link, which could lead elsewhere. */
export async function makeFolders(root: string, folder: string): Promise<void> {
  await makeFolder(root)
  for (const [place] of between(root, folder)) {
    if (!(await isFolder(place))) await mkdir(place).catch(unlessMade)
    await isFolder(place)
  }
}

export async function refuseLinks(root: string, folder: string): Promise<void> {
  for (const [place] of between(root, folder)) if (!(await isFolder(place))) return
}

/** Path of a file in a folder from another user, without links: a link could read a file outside the folder. */
export async function plainFile(root: string, name: string): Promise<string> {
  const path = localPath(root, name)
  await refuseLinks(root, dirname(path))
  const there = await lstat(path)
  if (!there.isFile()) throw new Error(`${path} is not a file, or is a symbolic link`)
  return path
}

export function between(root: string, folder: string): [place: string, name: string][] {
  const parts = relative(root, folder).split(sep).filter(Boolean)
  if (parts[0] === '..') throw new Error(`${folder} is not inside ${root}`)
  return parts.map((name, index) => [join(root, ...parts.slice(0, index + 1)), name])
}

export async function isFolder(place: string): Promise<boolean> {
  const there = await lstat(place).catch(absent)
  if (there?.isSymbolicLink())
    throw new Error(`${place} is a symbolic link, which may point elsewhere. Delete the link`)
  if (there && !there.isDirectory()) throw new Error(`${place} is not a folder`)
  return there !== null
}

export function unlessMade(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
