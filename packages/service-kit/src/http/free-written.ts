/**
 * For `write` to call when the kernel has all of a chunk that nobody else will look at: gives its memory back at once,
 * where V8 would mark its whole heap to find that it may (docs/adr/0054). What a chunk shares with others stays.
 */
export function freeWritten(chunk: Uint8Array): (error?: Error | null) => void {
  return (error) => {
    const { buffer } = chunk
    if (error || chunk.length === 0 || chunk.length !== buffer.byteLength) return
    if (buffer instanceof ArrayBuffer) buffer.transfer(0)
  }
}
