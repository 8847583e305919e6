import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { openOutput } from '../../src/terminal/output.ts'

it('a reader who is slow is waited for at each piece, and nothing is left behind of that', async () => {
  const read: string[] = []
  const stdout = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      read.push(String(chunk))
      setImmediate(done)
    },
  })
  const listeners = () => stdout.eventNames().map((event) => [event, stdout.listenerCount(event)])
  const before = listeners()
  const output = openOutput({ stdout, stderr: stdout, json: false, quiet: false })
  const pieces = Array.from({ length: 30 }, (_, index) => `${index}`)
  for (const [index, piece] of pieces.entries()) {
    await output.bytes(Buffer.from(piece))
    expect(read).toHaveLength(index + 1)
    expect(listeners()).toEqual(before)
  }
  expect(read).toEqual(pieces)
})
