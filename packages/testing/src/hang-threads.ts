import type { Program } from './spawn-program.ts'

/** Environment of a process that `hangThreads` is for. */
export const threadsMayHang = { NODE_OPTIONS: `--import ${new URL('./hang-on-signal.ts', import.meta.url).href}` }

/** Makes it lose every thread of libuv's pool, as a disk that hangs does. It can only be killed then. */
export async function hangThreads(program: Pick<Program, 'line' | 'signal'>): Promise<void> {
  program.signal('SIGUSR2')
  await program.line('all threads hang')
}
