import { type ArgumentSpec, type Command, flagOf, globalOptions, type OptionSpec } from './command.ts'
import { placeholder } from './parse.ts'

export function usageOf({ name, arguments: args, options }: Command): string {
  const words = Object.entries(args).map(([key, spec]) => argumentWord(key, spec))
  const some = Object.keys(options).length > 0 ? ['[OPTION…]'] : []
  return ['tideport', name, ...some, ...words].join(' ')
}

function argumentWord(name: string, { optional, many }: ArgumentSpec): string {
  const word = `${placeholder(name)}${many ? '…' : ''}`
  return optional ? `[${word}]` : word
}

/** `-q, --quiet`, `--to VAULT:FOLDER`. */
export function optionWord(name: string, { short, type, value, choices }: OptionSpec): string {
  const taken = type === 'string' ? ` ${choices?.join('|') ?? value ?? 'VALUE'}` : ''
  return `${short ? `-${short}, ` : ''}--${flagOf(name)}${taken}`
}

export function helpOf(command: Command): string {
  const { summary, description, arguments: args, options } = command
  return [
    `Usage: ${usageOf(command)}`,
    '',
    `${summary}.`,
    ...(description ? ['', description] : []),
    ...table(
      'Arguments',
      Object.entries(args).map(([name, spec]) => [placeholder(name), spec.summary]),
    ),
    ...table('Options', optionRows(options)),
    ...table('Global options', optionRows(globalOptions)),
  ].join('\n')
}

export function helpOfAll(commands: readonly Command[], word?: string): string {
  const shown = commands.filter(({ name }) => word === undefined || name.split(' ')[0] === word)
  return [
    'Usage: tideport COMMAND [OPTION…] …',
    ...table(
      'Commands',
      shown.map(({ name, summary }) => [name, summary]),
    ),
    ...table('Global options', optionRows(globalOptions)),
    '',
    'Name remote files as VAULT:PATH or by their ID. For more, run `tideport COMMAND --help`.',
  ].join('\n')
}

const optionRows = (options: Readonly<Record<string, OptionSpec>>): [string, string][] =>
  Object.entries(options).map(([name, spec]) => [optionWord(name, spec), spec.summary])

function table(title: string, rows: [string, string][]): string[] {
  const width = Math.min(34, Math.max(0, ...rows.map(([word]) => word.length)))
  return rows.length === 0 ? [] : ['', `${title}:`, ...rows.map(([word, text]) => `  ${word.padEnd(width)}  ${text}`)]
}
