import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { freeWritten } from '../../src/http/free-written.ts'

/** Writes a chunk to what takes it later; answers whether its memory is still there after that. */
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

describe('a chunk that was written', () => {
  it('gives its memory back when it has been taken', async () => {
    expect(await isKept(Buffer.allocUnsafeSlow(64 * 1024))).toBe(false)
  })

  it('leaves memory alone of which it is a part', async () => {
    expect(await isKept(Buffer.allocUnsafeSlow(64 * 1024).subarray(1))).toBe(true)
    expect(await isKept(Buffer.from('in the pool'))).toBe(true)
  })

  it('keeps what may still be on its way', async () => {
    expect(await isKept(Buffer.allocUnsafeSlow(64 * 1024), new Error('The reader has gone'))).toBe(true)
  })
})
