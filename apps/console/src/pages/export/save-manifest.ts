import { manifestLines } from '@tideport/sdk'
import { client } from '../../api/client.ts'

/** Characters that are gathered before the browser takes them. */
const PIECE = 1024 ** 2

/**
 * Reads the manifest and hands it to the browser as a download, once all of it is there. The browser keeps it on disk
 * meanwhile where it is large. `onBytes` gets how many there are so far.
 */
export async function saveManifest(signal: AbortSignal, onBytes: (bytes: number) => void): Promise<void> {
  const pieces: Blob[] = []
  let text = ''
  let bytes = 0
  const keep = () => {
    const piece = new Blob([text])
    pieces.push(piece)
    bytes += piece.size
    text = ''
    onBytes(bytes)
  }
  for await (const line of manifestLines(client(), { signal })) {
    text += `${JSON.stringify(line)}\n`
    if (text.length > PIECE) keep()
  }
  keep()
  const url = URL.createObjectURL(new Blob(pieces))
  const link = document.createElement('a')
  link.href = url
  link.download = `tideport-manifest-${new Date().toISOString().slice(0, 10)}.jsonl`
  link.click()
  // Chromium has taken it by then; earlier, it may not have.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
