import { execFileSync } from 'node:child_process'
import { open, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Preloaded into a process whose threads a test blocks (hang-threads.ts). */
process.on('SIGUSR2', () => {
  const fifo = join(tmpdir(), `tideport-fifo-${crypto.randomUUID()}`)
  execFileSync('mkfifo', [fifo])
  // Each call waits for a writer that never appears. The calls outnumber the threads.
  for (let opens = 0; opens < 128; opens += 1) open(fifo, 'r', () => {})
  writeSync(1, `${JSON.stringify({ msg: 'all threads hang' })}\n`)
})
