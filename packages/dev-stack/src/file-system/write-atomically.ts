import { rename, writeFile } from 'node:fs/promises'

/** Replaces `file` (mode 0600) in one step: who reads it sees the old content or the new, never a part. */
export async function writeAtomically(file: string, content: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, content, { mode: 0o600 })
  await rename(temporary, file)
}
