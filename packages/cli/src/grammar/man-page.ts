import { exitCodes } from '../terminal/failures.ts'
import { type Command, globalOptions, type OptionSpec } from './command.ts'
import { optionWord, usageOf } from './help.ts'
import { placeholder } from './parse.ts'

const exits: Record<keyof typeof exitCodes, string> = {
  done: 'All was done.',
  failed: 'It failed, or the line was wrong.',
  cancelled: 'It was stopped, or its reader went away.',
  partly: 'Some of it was done, and the failures were reported. Files that are already the same count as done.',
  login: 'There is no key, or it was refused.',
}

const variables: [string, string][] = [
  ['TIDEPORT_API_KEY', 'The key, above whatever a profile keeps.'],
  ['TIDEPORT_URL', 'Where the service is, above the profile.'],
  ['TIDEPORT_PROFILE', 'The profile that is acted by; "default" unless set.'],
  [
    'HTTP_PROXY, HTTPS_PROXY, NO_PROXY',
    'The proxies for http and https URLs, and the hosts that are reached without one.',
  ],
  ['XDG_CONFIG_HOME', 'Where profiles are, in "tideport"; ~/.config unless set.'],
  ['XDG_STATE_HOME', 'Where runs that were cut off are remembered; ~/.local/state unless set.'],
]

export function manPage(commands: readonly Command[], version: string): string {
  return [
    `.TH TIDEPORT 1 "" "tideport ${version}"`,
    '.SH NAME',
    'tideport \\- upload, download and work with files of a Tideport installation',
    '.SH SYNOPSIS',
    '.B tideport',
    '\\fICOMMAND\\fR [\\fIOPTION\\fR...] ...',
    '.SH DESCRIPTION',
    text(
      'Files of the service are VAULT:PATH, by the slug or the id of a vault, or the id of a file. Results go to stdout, everything else to stderr.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH OPTIONS OF EVERY COMMAND',
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

/** Dashes that are typed, and no line that begins as an instruction would. */
const text = (words: string) =>
  words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replaceAll('"', '\\(dq')
    .replace(/^[.']/, '\\&$&')
