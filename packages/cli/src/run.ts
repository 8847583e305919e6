import { commands } from './commands/all.ts'
import { suggestion } from './grammar/closest.ts'
import type { Command } from './grammar/command.ts'
import type { Context, Environment } from './grammar/context.ts'
import { helpOf, helpOfAll, usageOf } from './grammar/help.ts'
import { beginOf, findCommand, type Parsed, parse } from './grammar/parse.ts'
import { barePhrase } from './terminal/ask.ts'
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

/** Runs the command line and returns the exit code. Never throws. */
export async function run(program: Program): Promise<number> {
  const { stdout, stderr, signal } = program
  const args = helpFirst(program.args)
  const found = findCommand(commands, args)
  // Errors before parsing use JSON if the command line contains `--json`.
  let output = openOutput({ stdout, stderr, json: args.includes('--json'), quiet: false })
  try {
    if (!found) return await withoutCommand(output, args, program.version)
    const { input, globals } = parse(found.command, found.rest, names)
    output = openOutput({ stdout, stderr, json: globals.json, quiet: globals.quiet })
    if (globals.help) return await tell(output, helpOf(found.command))
    await runCommand(program, found.command, input, { output, globals })
    return exitCodes.done
  } catch (error) {
    // An error after a stop counts as the stop.
    return failed(
      program.environment,
      output,
      found?.command,
      signal.aborted && !(error instanceof Cancelled) ? signal.reason : error,
    )
  }
}

async function runCommand(
  { environment, stdin, signal }: Program,
  command: Command,
  input: Parsed['input'],
  { output, globals: { profile, url } }: { output: Output; globals: Parsed['globals'] },
): Promise<void> {
  await command.run(input as never, { environment: bare(environment), output, stdin, signal, chosen: { profile, url } })
}

/** Credentials and URLs from files often end with a line break. Only a passphrase may contain blanks. */
function bare(environment: Environment): Environment {
  const named = Object.entries(environment).map(([name, value]) => {
    if (name === 'TIDEPORT_PASSPHRASE') return [name, value && barePhrase(value)]
    return [name, /^(TIDEPORT|AWS)_/.test(name) ? value?.trim() : value]
  })
  return Object.fromEntries(named)
}

/** `help ls` is `ls --help`. */
function helpFirst(args: readonly string[]): readonly string[] {
  const at = beginOf(args)
  return args[at] === 'help' ? ['--help', ...args.toSpliced(at, 1)] : args
}

async function withoutCommand(output: Output, args: readonly string[], version: string): Promise<number> {
  const [word, second] = args.slice(beginOf(args))
  if (args[0] === '--version' || word === 'version') return await tell(output, `tideport ${version}`)
  const asksHelp = args.length === 0 || args.includes('--help') || args.includes('-h')
  if (word === undefined && asksHelp) return await tell(output, helpOfAll(commands))
  const isGroup = commands.some(({ name }) => name.startsWith(`${word} `))
  const other = word === undefined ? 'COMMAND is missing' : `Unknown command "${word}"`
  const meant = word === undefined ? '' : suggestionFor(word, second)
  const sentence = `${isGroup && meant === '' ? `"${word}" needs a subcommand` : other}${meant}`
  if (output.json) output.error(reportOf(new UsageError(sentence)))
  else {
    const help = meant === '' ? helpOfAll(commands, isGroup ? word : undefined).split('\n') : []
    output.complaint([`tideport: ${sentence}`, ...help])
  }
  return exitCodes.failed
}

const names = commands.map(({ name }) => name)

function suggestionFor(word: string, second: string | undefined): string {
  const longer = names.filter((name) => name.includes(' '))
  const firsts = names.map((name) => name.split(' ')[0] as string)
  return (second !== undefined && suggestion(`${word} ${second}`, longer)) || (firsts.includes(word) ? '' : suggestion(word, firsts)) // biome-ignore format: one choice
}

async function tell(output: Output, text: string): Promise<number> {
  await output.text(text)
  return exitCodes.done
}

function failed(environment: Environment, output: Output, command: Command | undefined, error: unknown): number {
  const exitCode = exitCodeOf(error)
  if (error instanceof Cancelled && error.message === '') return exitCode
  if (output.json) {
    output.error(reportOf(error))
    return exitCode
  }
  const { error: sentence, requestId } = reportOf(error)
  output.complaint(`tideport: ${sentence}${requestId === null ? '' : ` (request ${requestId})`}`)
  if (command && error instanceof UsageError) output.complaint(`Usage: ${usageOf(command)}`)
  const isLogin = exitCode === exitCodes.login && !(error instanceof LoginNeeded) && !(error instanceof Told)
  if (isLogin) output.complaint(environment.TIDEPORT_API_KEY ? 'The rejected key is from TIDEPORT_API_KEY' : 'Log in again with `tideport login`') // biome-ignore format: one line of text
  return exitCode
}
