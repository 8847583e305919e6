/** Frees a written chunk's memory immediately, without waiting for a full garbage collection. Keeps shared memory. */
export function freeWritten(chunk: Uint8Array): (error?: Error | null) => void {
  return (error) => {
    const { buffer } = chunk
    if (error || chunk.length === 0 || chunk.length !== buffer.byteLength) return
    if (buffer instanceof ArrayBuffer) buffer.transfer(0)
  }
}
