import { rename, writeFile } from 'node:fs/promises'

/** Replaces `file` (mode 0600) atomically: readers see the old or the new content, never a part. */
export async function writeAtomically(file: string, content: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, content, { mode: 0o600 })
  await rename(temporary, file)
}
