import { createInterface } from 'node:readline/promises'
import { addAbortSignal, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Context } from '../grammar/context.ts'
import { UsageError } from './failures.ts'
import { visible } from './visible.ts'

/** Asks for a yes where somebody sits there; elsewhere `--yes` has to have been said. */
export async function confirmed(context: Context, question: string, yes: boolean): Promise<boolean> {
  if (yes) return true
  if (!isSomebodyThere(context)) throw new UsageError(`${question} Say --yes where nobody can be asked`)
  const lines = createInterface({ input: context.stdin, output: context.output.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${visible(question)} [y/N] `, { signal: context.signal })).trim())
  } finally {
    lines.close()
  }
}

/**
 * A secret, from a terminal without showing it, or all of stdin. `otherwise`: what to do where nobody can be asked. Of a
 * passphrase (`isPhrase`) blanks are a part.
 */
export async function readSecret(
  context: Context,
  what: string,
  fromStdin: boolean,
  otherwise: string,
  isPhrase = false,
): Promise<string> {
  const bare = isPhrase ? barePhrase : (given: string) => given.trim()
  if (fromStdin) return bare(await text(addAbortSignal(context.signal, context.stdin)))
  if (!isSomebodyThere(context)) throw new UsageError(`${what}: nobody can be asked for it here; ${otherwise}`)
  context.output.stderr.write(`${visible(what)}: `)
  // What is typed is shown by whatever readline writes to: nothing.
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: context.stdin, output: nothing, terminal: true })
  try {
    return bare(await lines.question('', { signal: context.signal }))
  } finally {
    lines.close()
    context.output.stderr.write('\n')
  }
}

/** A passphrase without the byte order mark and the line ends that files and pipes put around it. */
export const barePhrase = (text: string): string => text.replace(/^\ufeff/, '').replace(/[\r\n]+$/, '')

export const isSomebodyThere = ({ stdin, output }: Context) => stdin.isTTY === true && output.stderr.isTTY === true
