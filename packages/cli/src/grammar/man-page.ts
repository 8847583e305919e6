import { exitCodes } from '../terminal/failures.ts'
import { type Command, globalOptions, type OptionSpec } from './command.ts'
import { optionWord, usageOf } from './help.ts'
import { placeholder } from './parse.ts'

const exits: Record<keyof typeof exitCodes, string> = {
  done: 'Success.',
  failed: 'The command failed, or its arguments are invalid.',
  cancelled: 'The command was interrupted, or the reader of its output closed.',
  partly:
    'Some items failed and were reported; others succeeded. Files that are already up to date count as successes.',
  login: 'The API key or login is missing or was rejected.',
}

const variables: [string, string][] = [
  ['TIDEPORT_API_KEY', 'API key. Overrides the key of the profile.'],
  ['TIDEPORT_URL', 'URL of the installation. Overrides the URL of the profile.'],
  ['TIDEPORT_PROFILE', 'Profile to use. Default: "default".'],
  ['HTTP_PROXY, HTTPS_PROXY, NO_PROXY', 'Proxies for http and https URLs, and hosts that are reached without a proxy.'],
  ['XDG_CONFIG_HOME', 'Parent of the "tideport" folder with the profiles. Default: ~/.config.'],
  ['XDG_STATE_HOME', 'Parent of the "tideport" folder with the state of interrupted runs. Default: ~/.local/state.'],
]

export function manPage(commands: readonly Command[], version: string): string {
  return [
    `.TH TIDEPORT 1 "" "tideport ${version}"`,
    '.SH NAME',
    'tideport \\- upload, download, and manage files of a Tideport installation',
    '.SH SYNOPSIS',
    '.B tideport',
    '\\fICOMMAND\\fR [\\fIOPTION\\fR...] ...',
    '.SH DESCRIPTION',
    text(
      'Name remote files as VAULT:PATH, where VAULT is the slug or ID of a vault, or by their ID. Results go to stdout, everything else to stderr.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH GLOBAL OPTIONS',
    ...options(globalOptions),
    '.SH EXIT STATUS',
    ...Object.entries(exitCodes).flatMap(([name, code]) => entry(String(code), exits[name as keyof typeof exitCodes])),
    '.SH ENVIRONMENT',
    ...variables.flatMap(([name, meaning]) => entry(name, meaning)),
    '',
  ].join('\n')
}

function section(command: Command): string[] {
  const { summary, description = '', arguments: args } = command
  return [
    `.SS "${text(usageOf(command))}"`,
    text(`${summary}. ${description.replaceAll('\n', ' ')}`.trim()),
    ...Object.entries(args).flatMap(([name, spec]) => entry(placeholder(name), `${spec.summary}.`)),
    ...options(command.options),
  ]
}

const options = (specs: Readonly<Record<string, OptionSpec>>) =>
  Object.entries(specs).flatMap(([name, spec]) => entry(optionWord(name, spec), `${spec.summary}.`))

const entry = (word: string, meaning: string) => ['.TP', `.B ${text(word)}`, text(meaning)]

/** Escapes hyphens, and lines that would start with a troff request. */
const text = (words: string) =>
  words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replaceAll('"', '\\(dq')
    .replace(/^[.']/, '\\&$&')
