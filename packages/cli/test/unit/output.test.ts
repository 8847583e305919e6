import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { tellSkipped } from '../../src/local/tell-skipped.ts'
import { tellFailure } from '../../src/terminal/failures.ts'
import { openOutput } from '../../src/terminal/output.ts'

it('waits for a slow reader after each write, and leaves no listeners behind', async () => {
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

it.each(['\n', '\r', '\r\n', '\u001b[2K', '\u0085', '\u2028', '\u202e'])(
  'keeps a name with %j on one line in every kind of output',
  async (mark) => {
    const texts = { stdout: '', stderr: '' }
    const to = (name: keyof typeof texts) => new Writable({ write: (chunk, _, done) => { texts[name] += chunk; done() } }) // biome-ignore format: one line
    const name = `a${mark}tideport: done`
    for (const json of [false, true]) {
      const output = openOutput({ stdout: to('stdout'), stderr: to('stderr'), json, quiet: false })
      await output.result({ name }, name)
      output.remark(name)
      output.complaint(name)
      output.error({ error: name })
      await tellFailure(output, { name }, name, new Error(`${name} is missing`))
    }
    const lines = (texts.stdout + texts.stderr).split('\n').slice(0, -1)
    expect(lines).toHaveLength(10)
    for (const line of lines) {
      expect(line).toMatch(/^(a|\{)/)
      expect(line).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
    }
  },
)

it('prints each skipped file on its own line, whatever its name', async () => {
  const pieces: string[] = []
  const to = new Writable({ write: (chunk, _, done) => done(void pieces.push(String(chunk))) })
  const output = openOutput({ stdout: to, stderr: to, json: false, quiet: false })
  const skipped = [
    { path: 'a\nb', kind: 'pipe' },
    { path: 'c', kind: 'pipe' },
  ] as const
  await tellSkipped(output, skipped, false)
  expect(pieces.join('')).toBe('Skipped 2 pipes:\n  a\ufffdb\n  c\n')
})
