import { randomUUID } from 'node:crypto'
import { open, rename } from 'node:fs/promises'

/** Writes a file atomically: an existing file is complete even if the process was killed. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  await using file = await open(temporary, 'wx')
  await file.writeFile(text)
  await file.sync()
  await rename(temporary, path)
}
