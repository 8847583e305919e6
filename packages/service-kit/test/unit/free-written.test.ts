import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { freeWritten } from '../../src/http/free-written.ts'

/** Writes a chunk to a slow stream. Returns whether the memory of the chunk still exists afterwards. */
async function isKept(chunk: Buffer, failure: Error | null = null): Promise<boolean> {
  const { buffer } = chunk
  const { promise: taken, resolve } = Promise.withResolvers<void>()
  const slow = new Writable({ write: (_chunk, _encoding, callback) => setImmediate(callback, failure) })
  const free = freeWritten(chunk)
  slow
    .on('error', () => undefined)
    .write(chunk, (error) => {
      free(error)
      resolve()
    })
  expect(buffer.byteLength).toBeGreaterThan(0)
  await taken
  return buffer.byteLength > 0
}

describe('a written chunk', () => {
  it('frees its memory when its reader has taken it', async () => {
    expect(await isKept(Buffer.allocUnsafeSlow(64 * 1024))).toBe(false)
  })

  it('keeps memory that it shares with other chunks', async () => {
    expect(await isKept(Buffer.allocUnsafeSlow(64 * 1024).subarray(1))).toBe(true)
    expect(await isKept(Buffer.from('in the pool'))).toBe(true)
  })

  it('keeps its memory after a failed write, because it may still be in use', async () => {
    expect(await isKept(Buffer.allocUnsafeSlow(64 * 1024), new Error('The reader has gone'))).toBe(true)
  })
})
