import { createInterface } from 'node:readline/promises'
import { addAbortSignal, type Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { UsageError } from './failures.ts'
import type { Output } from './output.ts'
import { visible } from './visible.ts'

interface Terminal {
  stdin: Readable & { isTTY?: boolean }
  output: Output
  signal: AbortSignal
}

/** Prompts for confirmation in a terminal. Without a terminal, requires `--yes`. */
export async function confirmed(terminal: Terminal, question: string, yes: boolean): Promise<boolean> {
  if (yes) return true
  if (!isSomebodyThere(terminal)) throw new UsageError(`${question} Without a terminal, confirm with --yes`)
  const lines = createInterface({ input: terminal.stdin, output: terminal.output.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${visible(question)} [y/N] `, { signal: terminal.signal })).trim())
  } finally {
    lines.close()
  }
}

/** Reads a terminal without echo, or stdin. `otherwise`: advice if neither works. Phrases (`isPhrase`) keep blanks. */
export async function readSecret(
  terminal: Terminal,
  what: string,
  fromStdin: boolean,
  otherwise: string,
  isPhrase = false,
): Promise<string> {
  const bare = isPhrase ? barePhrase : (given: string) => given.trim()
  if (fromStdin) return bare(await text(addAbortSignal(terminal.signal, terminal.stdin)))
  if (!isSomebodyThere(terminal)) throw new UsageError(`${what}: no terminal to enter it; ${otherwise}`)
  terminal.output.stderr.write(`${visible(what)}: `)
  // readline echoes input to its output, so the output discards it.
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: terminal.stdin, output: nothing, terminal: true })
  try {
    return bare(await lines.question('', { signal: terminal.signal }))
  } finally {
    lines.close()
    terminal.output.stderr.write('\n')
  }
}

/** Removes the byte order mark and line breaks that files and pipes add to a passphrase. */
export const barePhrase = (text: string): string => text.replace(/^\ufeff/, '').replace(/[\r\n]+$/, '')

export const isSomebodyThere = ({ stdin, output }: Pick<Terminal, 'stdin' | 'output'>) =>
  stdin.isTTY === true && output.stderr.isTTY === true
