import { readManifest } from '@tideport/sdk'
import { client } from '../../api/client.ts'

/** The last line of a whole manifest is shorter. */
const lastLineMax = 1024

/** A manifest that broke off. */
export class CutManifest extends Error {
  override name = 'CutManifest'
}

/**
 * Reads the manifest and hands it to the browser as a download, once it is known to be whole. The browser keeps it on disk
 * meanwhile where it is large. `onBytes` gets how many there are so far.
 */
export async function saveManifest(signal: AbortSignal, onBytes: (bytes: number) => void): Promise<void> {
  const { body } = await readManifest(client(), {}, { signal })
  if (body === null) throw new CutManifest()
  const blob = await new Response(body.pipeThrough(counting(onBytes))).blob()
  const end = await blob.slice(Math.max(0, blob.size - lastLineMax)).text()
  if (!isEnd(end.trimEnd().split('\n').at(-1) ?? '')) throw new CutManifest()
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = `tideport-manifest-${new Date().toISOString().slice(0, 10)}.jsonl`
  link.click()
  // Chromium has taken it by then; earlier, it may not have.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

function counting(onBytes: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length
      onBytes(bytes)
      controller.enqueue(chunk)
    },
  })
}

function isEnd(line: string): boolean {
  try {
    return (JSON.parse(line) as { type?: unknown }).type === 'end'
  } catch {
    return false
  }
}
