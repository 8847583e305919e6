import { commands } from './commands/all.ts'
import type { Command } from './grammar/command.ts'
import type { Context, Environment } from './grammar/context.ts'
import { helpOf, helpOfAll, usageOf } from './grammar/help.ts'
import { findCommand, type Parsed, parse } from './grammar/parse.ts'
import { Cancelled, exitCodeOf, exitCodes, LoginNeeded, reportOf, Told, UsageError } from './terminal/failures.ts'
import { type Output, type OutputOptions, openOutput } from './terminal/output.ts'

export interface Program {
  args: readonly string[]
  environment: Environment
  stdin: Context['stdin']
  stdout: OutputOptions['stdout']
  stderr: OutputOptions['stderr']
  signal: AbortSignal
  version: string
}

/** Runs what was typed, and answers with the exit code. Throws nothing. */
export async function run(program: Program): Promise<number> {
  const { args, stdout, stderr } = program
  // Before the line is understood, what it looks like decides how its faults are told.
  const early = openOutput({ stdout, stderr, json: args.includes('--json'), quiet: false })
  if (args[0] === '--version' || args[0] === 'version') return await tell(early, `tideport ${program.version}`)
  const found = findCommand(commands, args)
  if (!found) return await withoutCommand(early, args)
  try {
    const { input, globals } = parse(found.command, found.rest)
    if (globals.help) return await tell(early, helpOf(found.command))
    return await runCommand(program, found.command, input, globals)
  } catch (error) {
    return failed(early, found.command, error)
  }
}

async function runCommand(
  { environment, stdin, stdout, stderr, signal }: Program,
  command: Command,
  input: Parsed['input'],
  { json, quiet, profile, url }: Parsed['globals'],
): Promise<number> {
  const output = openOutput({ stdout, stderr, json, quiet })
  try {
    await command.run(input as never, { environment, output, stdin, signal, chosen: { profile, url } })
    return exitCodes.done
  } catch (error) {
    // What broke because it was stopped was stopped.
    return failed(output, command, signal.aborted && !(error instanceof Cancelled) ? signal.reason : error)
  }
}

async function withoutCommand(output: Output, args: readonly string[]): Promise<number> {
  const [word] = args
  const isGroup = commands.some(({ name }) => name.startsWith(`${word} `))
  if (word === undefined || word === '--help' || word === '-h' || word === 'help') {
    return await tell(output, helpOfAll(commands))
  }
  const sentence = isGroup ? `"${word}" takes one more word` : `There is no command "${word}"`
  output.complaint(output.json ? JSON.stringify(reportOf(new UsageError(sentence))) : `tideport: ${sentence}\n${helpOfAll(commands, isGroup ? word : undefined)}`) // biome-ignore format: one line of text
  return exitCodes.failed
}

async function tell(output: Output, text: string): Promise<number> {
  await output.text(text)
  return exitCodes.done
}

function failed(output: Output, command: Command, error: unknown): number {
  const exitCode = exitCodeOf(error)
  if (error instanceof Cancelled && error.message === '') return exitCode
  if (output.json) {
    output.error(reportOf(error))
    return exitCode
  }
  const { error: sentence, requestId } = reportOf(error)
  output.complaint(`tideport: ${sentence}${requestId === null ? '' : ` (request ${requestId})`}`)
  if (error instanceof UsageError) output.complaint(`Usage: ${usageOf(command)}`)
  const isLogin = exitCode === exitCodes.login && !(error instanceof LoginNeeded) && !(error instanceof Told)
  if (isLogin) output.complaint('Log in anew with `tideport login`')
  return exitCode
}
