import { type Command, flagOf, globalOptions, type OptionSpec } from './command.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export function completionOf(shell: Shell, commands: readonly Command[]): string {
  return { bash, zsh, fish }[shell](commands)
}

const flagsOf = ({ options }: Command) =>
  Object.keys({ ...options, ...globalOptions }).map((name) => `--${flagOf(name)}`)

const choicesOf = (commands: readonly Command[]): [flag: string, choices: readonly string[]][] => {
  const options = commands.flatMap((command) => Object.entries<OptionSpec>(command.options))
  return options.flatMap(([name, { choices }]) => (choices ? [[`--${flagOf(name)}`, choices]] : []))
}

function groups(commands: readonly Command[]): [first: string, seconds: string[]][] {
  const firsts = new Set(commands.map(({ name }) => name.split(' ')[0] as string))
  return [...firsts].flatMap((first) => {
    const seconds = commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []))
    return seconds.length > 0 ? [[first, seconds]] : []
  })
}

const firstWords = (commands: readonly Command[]) =>
  [...new Set(commands.map(({ name }) => name.split(' ')[0]))].join(' ')

function bash(commands: readonly Command[]): string {
  const seconds = groups(commands).map(([first, words]) => `    ${first}) seconds=' ${words.join(' ')} ' ;;`)
  const flags = commands.map((command) => `    '${command.name}') flags='${flagsOf(command).join(' ')}' ;;`)
  const values = [...new Map(choicesOf(commands))].map(
    ([flag, choices]) => `    ${flag}) words='${choices.join(' ')}' ;;`,
  )
  return `# tideport completion bash > ~/.local/share/bash-completion/completions/tideport
_tideport() {
  local word="\${COMP_WORDS[COMP_CWORD]}" name="\${COMP_WORDS[1]}" seconds='' flags='' words=''
  case "$name" in
${seconds.join('\n')}
  esac
  if [[ $COMP_CWORD -gt 2 && $seconds == *" \${COMP_WORDS[2]} "* ]]; then name="$name \${COMP_WORDS[2]}"; fi
  case "$name" in
${flags.join('\n')}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then words='${firstWords(commands)}'
  elif [[ $word == -* ]]; then words=$flags
  elif [[ $COMP_CWORD -eq 2 ]]; then words=$seconds
  fi
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$word")); else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _tideport tideport
`
}

function zsh(commands: readonly Command[]): string {
  const cases = commands.map(
    (command) => `    '${command.name}') _arguments ${optionWords(command)} '*:file:_files' ;;`,
  )
  const seconds = groups(commands).map(([first, words]) => `    ${first}) seconds=(${words.join(' ')}) ;;`)
  return `#compdef tideport
# tideport completion zsh > a folder of $fpath, as _tideport
_tideport() {
  local -a seconds
  if (( CURRENT == 2 )); then compadd ${firstWords(commands)}; return; fi
  case "$words[2]" in
${seconds.join('\n')}
  esac
  local name="$words[2]"
  if (( $seconds[(Ie)$words[3]] )); then name="$words[2] $words[3]"; fi
  if (( CURRENT == 3 && $#seconds )); then compadd $seconds; fi
  case "$name" in
${cases.join('\n')}
  esac
}
_tideport "$@"
`
}

const optionWords = ({ options }: Command) =>
  Object.entries<OptionSpec>({ ...options, ...globalOptions })
    .map(([name, spec]) => `'--${flagOf(name)}[${plain(spec.summary)}]${zshValue(spec)}'`)
    .join(' ')

const zshValue = ({ type, choices, isPath, value = 'VALUE' }: OptionSpec) =>
  type === 'boolean'
    ? ''
    : `:${value.replaceAll(':', '\\:')}:${choices ? `(${choices.join(' ')})` : isPath ? '_files' : ' '}`

/** Replaces characters that the shell would interpret. */
const plain = (text: string) => text.replaceAll(/['[\]:\\]/g, ' ')

function fish(commands: readonly Command[]): string {
  const all = commands.flatMap((command) => {
    const [first, second] = command.name.split(' ')
    const seen = second
      ? `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`
      : `__fish_seen_subcommand_from ${first}`
    const offer = second
      ? `-n '__fish_seen_subcommand_from ${first}; and test (count (commandline -opc)) -eq 2' -a ${second}`
      : `-n __fish_use_subcommand -a ${first}`
    const options = Object.entries<OptionSpec>(command.options).map(([name, { type, choices, summary, isPath }]) => {
      const value = type === 'boolean' ? '' : choices ? ` -x -a '${choices.join(' ')}'` : isPath ? ' -r -F' : ' -x'
      return `complete -c tideport -n '${seen}' -l ${flagOf(name)}${value} -d '${plain(summary)}'`
    })
    return [`complete -c tideport ${offer} -d '${plain(command.summary)}'`, ...options]
  })
  const globals = Object.entries<OptionSpec>(globalOptions).map(
    ([name, { type, summary }]) =>
      `complete -c tideport -l ${flagOf(name)}${type === 'string' ? ' -x' : ''} -d '${plain(summary)}'`,
  )
  return `# tideport completion fish > ~/.config/fish/completions/tideport.fish\n${[...all, ...globals].join('\n')}\n`
}
