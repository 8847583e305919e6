/** Frees a written chunk's memory at once instead of by a full collection. Shared memory stays. */
export function freeWritten(chunk: Uint8Array): (error?: Error | null) => void {
  return (error) => {
    const { buffer } = chunk
    if (error || chunk.length === 0 || chunk.length !== buffer.byteLength) return
    if (buffer instanceof ArrayBuffer) buffer.transfer(0)
  }
}
