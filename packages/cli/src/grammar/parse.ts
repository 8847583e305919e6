import { parseArgs } from 'node:util'
import { UsageError } from '../terminal/failures.ts'
import { suggestion } from './closest.ts'
import { type ArgumentSpec, type Command, flagOf, globalOptions, type OptionSpec } from './command.ts'

export interface Parsed {
  input: Record<string, unknown>
  globals: { json: boolean; quiet: boolean; help: boolean; profile?: string | undefined; url?: string | undefined }
}

/** Tries two words before one. Global options may precede the command. */
export function findCommand(commands: readonly Command[], words: readonly string[]) {
  const begin = beginOf(words)
  for (const length of [2, 1]) {
    const name = words.slice(begin, begin + length).join(' ')
    const found = commands.find((command) => command.name === name)
    if (found) return { command: found, rest: words.toSpliced(begin, length) }
  }
  return null
}

/** Index of the first word that is neither an option nor the value of one. */
export function beginOf(words: readonly string[]): number {
  let at = 0
  while (words[at]?.startsWith('-')) at += valued.includes(words[at] as string) ? 2 : 1
  return at
}

const valued = Object.entries<OptionSpec>(globalOptions).flatMap(([name, { type }]) =>
  type === 'string' ? [`--${flagOf(name)}`] : [],
)

/** Parses the words after the command's name. Throws a `UsageError`. `names` contains the names of all commands. */
export function parse(command: Command, words: readonly string[], names: readonly string[] = []): Parsed {
  const specs: Record<string, OptionSpec> = { ...globalOptions, ...command.options }
  const { values, positionals, tokens } = parseWords(specs, words)
  const checked = Object.entries(specs).map(([name, spec]) => [
    name,
    checkedValue(spec, flagOf(name), values[flagOf(name)]),
  ])
  const options = Object.fromEntries(checked)
  const { json, quiet, help, profile, url } = options
  const globals = { json, quiet, help, profile, url }
  if (help) return { input: {}, globals }
  const given = tokens.flatMap((token) => (token.kind === 'option' ? [[token.name, token.value]] : []))
  return { input: { ...options, ...argumentsOf(command, positionals, names), given }, globals }
}

function parseWords(specs: Record<string, OptionSpec>, words: readonly string[]) {
  const options = Object.entries(specs).map(([name, { type, short, multiple = false }]) => {
    return [flagOf(name), { type, multiple, ...(short && { short }) }] as const
  })
  try {
    return parseArgs({ args: [...words], options: Object.fromEntries(options), allowPositionals: true, tokens: true })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error
    const [sentence = ''] = message.split('. ')
    const flags = Object.keys(specs).map((name) => `--${flagOf(name)}`)
    const [, typed] = (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && /'(--[^']+)'/.exec(sentence)) || []
    throw new UsageError(`${sentence}${typed === undefined ? '' : suggestion(typed, flags)}`)
  }
}

function checkedValue({ type, choices, multiple }: OptionSpec, flag: string, value: unknown): unknown {
  if (type === 'boolean') return value === true
  if (choices && value !== undefined && !choices.includes(value as string)) {
    throw new UsageError(`--${flag} must be one of ${choices.join(', ')}`)
  }
  return value ?? (multiple ? [] : undefined)
}

function argumentsOf(
  command: Command,
  positionals: readonly string[],
  names: readonly string[],
): Record<string, string | string[] | undefined> {
  const specs: [string, ArgumentSpec][] = Object.entries(command.arguments)
  const left = [...positionals]
  const values = specs.map(([name, { many, optional }]) => {
    if (left.length === 0 && !optional) throw new UsageError(`${placeholder(name)} is missing`)
    return [name, many ? left.splice(0) : left.shift()]
  })
  if (left.length > 0) {
    const longer = names.filter((name) => name.startsWith(`${command.name} `))
    throw new UsageError(`Unexpected argument "${left[0]}"${suggestion(`${command.name} ${left[0]}`, longer)}`)
  }
  return Object.fromEntries(values)
}

export const placeholder = (name: string): string => flagOf(name).toUpperCase()
