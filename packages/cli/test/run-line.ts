import { Readable, Writable } from 'node:stream'
import { run } from '../src/run.ts'

/** Runs a command line in this process, without a terminal and with an empty stdin. */
export async function runLine(
  args: string[],
  environment: Record<string, string>,
  signal = new AbortController().signal,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const texts = { stdout: '', stderr: '' }
  const to = (name: keyof typeof texts) =>
    new Writable({
      write(chunk, _, done) {
        texts[name] += chunk
        done()
      },
    })
  const program = { args, environment, stdin: Readable.from([]) as never, version: '1', signal }
  const code = await run({ ...program, stdout: to('stdout'), stderr: to('stderr') })
  return { code, ...texts }
}
