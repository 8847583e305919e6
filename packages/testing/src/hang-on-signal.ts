import { execFileSync } from 'node:child_process'
import { open, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Preloaded into a process whose threads a test lets hang (hang-threads.ts). */
process.on('SIGUSR2', () => {
  const fifo = join(tmpdir(), `tideport-fifo-${crypto.randomUUID()}`)
  execFileSync('mkfifo', [fifo])
  // Each waits for somebody who writes, and nobody ever does; more of them than there are threads.
  for (let opens = 0; opens < 128; opens += 1) open(fifo, 'r', () => {})
  writeSync(1, `${JSON.stringify({ msg: 'all threads hang' })}\n`)
})
