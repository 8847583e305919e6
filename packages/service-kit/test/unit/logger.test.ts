import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLogger, toLoggedError } from '../../src/telemetry/logger.ts'

function logged(write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  const lines: string[] = []
  write(createLogger({ service: 'sync', level: 'info', destination: { write: (line) => void lines.push(line) } }))
  expect(lines).toHaveLength(1)
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>
}

describe('createLogger', () => {
  it('writes one JSON line with service, level, time, and a constant message', () => {
    const line = logged((log) => log.info({ fileId: 'f' }, 'file synced'))
    expect(line).toMatchObject({ service: 'sync', level: 'info', fileId: 'f', msg: 'file synced' })
    expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
  })

  it('hides fields with secrets, at the top level and one level below', () => {
    const line = logged((log) => log.info({ secret: 'hunter2', headers: { authorization: 'hunter2' }, id: 1 }, 'x'))
    expect(JSON.stringify(line)).not.toContain('hunter2')
    expect(line.id).toBe(1)
  })

  it('keeps only the safe parts of an error and its causes', () => {
    const cause = Object.assign(new Error('connect to postgres://files:hunter2@db:5432/tideport failed'), {
      code: '08006',
      detail: 'Key (secret)=(hunter2) already exists',
    })
    const line = logged((log) => log.error({ err: new Error('request failed', { cause }) }, 'x'))
    expect(line.err).toMatchObject({ type: 'Error', message: 'request failed', cause: { code: '08006' } })
    expect(JSON.stringify(line)).not.toContain('hunter2')
  })
})

describe('the log of a process', () => {
  it('is written completely, also after a time without a reader and without a later line', async () => {
    const program = `
      import { createLogger } from '${new URL('../../src/telemetry/logger.ts', import.meta.url)}'
      const log = createLogger({ service: 'sync', level: 'info' })
      for (let line = 1; line <= 1000; line++) log.info({ line, text: 'ä'.repeat(100) }, 'line')
      process.on('message', () => log.info({ line: 1001 }, 'line'))
      // By then, the buffer should have been flushed, and the pipe is full.
      setTimeout(() => process.send('logged'), 600)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    try {
      await once(child, 'message')
      const lines: string[] = []
      createInterface({ input: child.stdout as Readable }).on('line', (line) => lines.push(line))
      await expect.poll(() => lines.length).toBe(1000)
      child.send('again')
      await expect.poll(() => lines.length).toBe(1001)
      expect(lines.map((line) => JSON.parse(line).line)).toEqual(lines.map((_, index) => index + 1))
    } finally {
      child.kill('SIGKILL')
    }
  })
})

describe('toLoggedError', () => {
  it('removes queries from URLs, because they contain signatures', () => {
    const message =
      "GET http://127.0.0.1:9000/b/k?X-Amz-Signature=hunter2&X-Amz-Date=1 failed, see 'https://s/x?y=hunter2'"
    expect(toLoggedError(new Error(message)).message).toBe(
      "GET http://127.0.0.1:9000/b/k?… failed, see 'https://s/x?…'",
    )
  })

  it('does not show a thrown value that is not an error', () => {
    expect(JSON.stringify(toLoggedError('hunter2'))).not.toContain('hunter2')
  })

  it('limits its output for circular causes', () => {
    const error = new Error('a')
    error.cause = error
    expect(JSON.stringify(toLoggedError(error)).length).toBeLessThan(100_000)
  })
})
