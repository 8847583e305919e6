import { constants, existsSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { makeFolder } from './make-folder.ts'
import { between, isFolder, makeFolders, refuseLinks, unlessMade } from './plain-folders.ts'

interface Way {
  /** The folder that the user named; its path may contain links. */
  root: string
  /** A folder inside `root`; its path must not contain links. */
  folder: string
  make?: boolean
}

/**
 * Runs `work` with a path that renames and links cannot redirect: on Linux a descriptor, elsewhere a checked path.
 * Rejects with a sentence if the path contains a link.
 */
export async function inFolder<T>(way: Way, work: (path: string) => Promise<T>): Promise<T> {
  if (!hasDescriptors) {
    await (way.make ? makeFolders : refuseLinks)(way.root, way.folder)
    return await work(way.folder)
  }
  await using held = await descend(way)
  const path = pathOf(held)
  return await work(path).catch((error: unknown) => {
    if (error instanceof Error) error.message = error.message.replaceAll(path, way.folder)
    throw error
  })
}

const hasDescriptors = process.platform === 'linux' && existsSync('/proc/self/fd')
/** Needs no right to list the folder. Node does not export this constant. */
const O_PATH = 0o10000000
const asFolder = O_PATH | constants.O_DIRECTORY

const pathOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`

async function openPlain(at: string, make: boolean): Promise<FileHandle> {
  const flags = asFolder | constants.O_NOFOLLOW
  return await open(at, flags).catch(async (error: NodeJS.ErrnoException) => {
    if (!make || error.code !== 'ENOENT') throw error
    await mkdir(at).catch(unlessMade)
    return await open(at, flags)
  })
}

async function descend({ root, folder, make = false }: Way): Promise<FileHandle> {
  if (make) await makeFolder(root)
  let held = await open(root, asFolder)
  for (const [place, name] of between(root, folder)) {
    const at = `${pathOf(held)}/${name}`
    try {
      const next = await openPlain(at, make)
      await held.close()
      held = next
    } catch (error) {
      await held.close()
      await isFolder(place)
      if (error instanceof Error) error.message = error.message.replaceAll(at, place)
      throw error
    }
  }
  return held
}
