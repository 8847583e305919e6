import { createHash } from 'node:crypto'
import type { Progress } from './progress.ts'

export async function measure(
  source: AsyncIterable<Uint8Array>,
  progress: Progress,
): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const bytes of source) {
    hash.update(bytes)
    sizeBytes += bytes.length
    progress.advance(sizeBytes)
  }
  progress.finish()
  return { sha256: hash.digest('hex'), sizeBytes }
}
