import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { absent } from './absent.ts'

/** Returns the outermost folder that it created. Node's recursive `mkdir` can loop forever, for example in /proc. */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  // Checked first, because not every file system reports an existing folder as such.
  if (await isThere(path)) return undefined
  const above = dirname(path)
  const outermost = above === path ? undefined : await makeFolder(above, mode)
  try {
    await mkdir(path, { mode })
    return outermost ?? path
  } catch (cause) {
    if (await isThere(path)) return outermost
    const error = cause as NodeJS.ErrnoException
    if (error.code === 'ENOENT') error.message = `${path} cannot be created: ${above} accepts no folders`
    if (error.code === 'EEXIST') error.message = `${path} is not a folder`
    throw error
  }
}

const isThere = async (path: string): Promise<boolean> => (await stat(path).catch(absent))?.isDirectory() === true
