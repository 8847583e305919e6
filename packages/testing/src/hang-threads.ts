import type { Program } from './spawn-program.ts'

/** Environment of a process for `hangThreads`. */
export const threadsMayHang = { NODE_OPTIONS: `--import ${new URL('./hang-on-signal.ts', import.meta.url).href}` }

/** Blocks every thread of the libuv pool, like an unresponsive disk. Afterwards, the program can only be killed. */
export async function hangThreads(program: Pick<Program, 'line' | 'signal'>): Promise<void> {
  program.signal('SIGUSR2')
  await program.line('all threads hang')
}
