import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a file that this user alone reads: all of it, or what was there before. Makes its folders, for this user alone. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const written = `${path}.${randomUUID()}`
  try {
    await using handle = await open(written, 'wx', 0o600)
    await handle.writeFile(text)
    await handle.datasync()
    await rename(written, path)
  } catch (error) {
    await rm(written, { force: true })
    throw error
  }
}
