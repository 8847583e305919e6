import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/commands/all.ts'
import { type Command, command } from '../../src/grammar/command.ts'
import { completionOf } from '../../src/grammar/completion.ts'
import { helpOf, helpOfAll } from '../../src/grammar/help.ts'
import { manPage } from '../../src/grammar/man-page.ts'
import { findCommand, parse } from '../../src/grammar/parse.ts'
import { UsageError } from '../../src/terminal/failures.ts'
import { runLine } from '../run-line.ts'

const copy = command({
  name: 'copy',
  summary: 'Copy',
  arguments: { from: { summary: 'From', many: true } },
  options: {
    dryRun: { type: 'boolean', summary: 'Do nothing' },
    kind: { type: 'string', choices: ['a', 'b'], summary: 'Which' },
    tag: { type: 'string', multiple: true, summary: 'Tags' },
  },
  run: async () => {},
})

describe('a command line', () => {
  it('is parsed by the options and arguments of its command', () => {
    const words = ['x', '--dry-run', '--tag', '1', 'y', '--tag=2', '--json', '--', '--z']
    expect(parse(copy, words)).toEqual({
      input: expect.objectContaining({ from: ['x', 'y', '--z'], dryRun: true, kind: undefined, tag: ['1', '2'] }),
      globals: { json: true, quiet: false, help: false, profile: undefined, url: undefined },
    })
  })

  it.each([[['--what']], [[]], [['x', '--kind', 'c']], [['x', '--tag']], [['x', '--dry-run=1']]])(
    'with invalid words is rejected: %j',
    (words) => expect(() => parse(copy, words)).toThrow(UsageError),
  )

  it.each([
    [['uplod', 'a'], 'Unknown command "uplod". Did you mean "upload"?'],
    [['dwonload', 'a'], 'Unknown command "dwonload". Did you mean "download"?'],
    [['sl', 'photos'], 'Unknown command "sl". Did you mean "ls"?'],
    [['Upload', 'a'], 'Unknown command "Upload". Did you mean "upload"?'],
    [['vaults', 'craete', 'x'], 'Unexpected argument "craete". Did you mean "vaults create"?'],
    [['vualts', 'create', 'x'], 'Unknown command "vualts". Did you mean "vaults create"?'],
    [['--json', 'keys', 'rotat', 'x'], 'Unexpected argument "rotat". Did you mean "keys rotate"?'],
    [['help', 'sycn'], 'Unknown command "sycn". Did you mean "sync"?'],
    [['ls', 'photos', '--recursve'], 'Unknown option \'--recursve\'. Did you mean "--recursive"?'],
    [['ls', 'photos', '--jsn'], 'Unknown option \'--jsn\'. Did you mean "--json"?'],
    [['upload', 'a', '--on-conflct=keep'], 'Unknown option \'--on-conflct\'. Did you mean "--on-conflict"?'],
  ])('with a typo gets a suggestion: %j', async (words, sentence) => {
    const { code, stdout, stderr } = await runLine(words, {})
    expect({ code, stdout, told: words.includes('--json') ? JSON.parse(stderr).error : stderr.split('\n')[0] }).toEqual(
      {
        code: 1,
        stdout: '',
        told: words.includes('--json') ? sentence : `tideport: ${sentence}`,
      },
    )
  })

  it.each([['frobnicate'], ['ls', 'photos', '--frobnicate'], ['vaults', 'frobnicate'], ['x']])(
    'without a similar command gets no suggestion: %s',
    async (...words) => expect((await runLine(words, {})).stderr).not.toContain('Did you mean'),
  )

  it('names a command with one or two words', () => {
    expect(findCommand(commands, ['vaults', 'create', 'x'])).toMatchObject({ command: { name: 'vaults create' }, rest: ['x'] }) // biome-ignore format: one claim
    expect(findCommand(commands, ['vaults', '--json'])).toMatchObject({ command: { name: 'vaults' }, rest: ['--json'] })
    expect(findCommand(commands, ['toString'])).toBeNull()
  })
})

describe('every command', () => {
  it.each(commands.map((one): [string, Command] => [one.name, one]))(
    '%s is in the help, the guide, and the manual page',
    (name, one) => {
      const guide = readFileSync(new URL('../../../../docs/reference/cli.md', import.meta.url), 'utf8')
      expect(guide).toContain(`\`${name}`)
      expect(helpOfAll(commands)).toContain(`  ${name} `)
      expect(manPage(commands, '1')).toContain(`.SS "tideport ${name}`)
      for (const flag of Object.keys(one.options)) {
        expect(helpOf(one)).toContain(`--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
      }
    },
  )
})

it('renders the manual page without warnings', ({ skip }) => {
  skip(spawnSync('groff', ['--version']).error !== undefined, 'groff is not installed')
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z'], { input: manPage(commands, '1'), encoding: 'utf8' }) // biome-ignore format: one call
  expect(stdout + stderr).toBe('')
})

const completed = async (line: string[]) => {
  const ask = `${completionOf('bash', commands)}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tideport; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await promisify(execFile)('bash', ['-euc', ask, 'bash', ...line])
  return stdout.split('\n').filter((word) => word !== '')
}

describe('completion', () => {
  it('completes commands, subcommands, options, and values in bash', async () => {
    expect(await completed(['tideport', 'up'])).toEqual(['upload'])
    expect(await completed(['tideport', 'vaults', 'cr'])).toEqual(['create'])
    expect(await completed(['tideport', 'vaults', 'create', 'x', '--pr'])).toEqual(['--private', '--profile'])
    expect(await completed(['tideport', 'upload', 'x', '--on-conflict', 're'])).toEqual(['replace'])
    expect(await completed(['tideport', 'upload', '/et'])).toEqual(['/etc'])
  })

  it.for(['zsh', 'fish'] as const)('is a valid %s script', (shell, { skip }) => {
    const script = completionOf(shell, commands)
    for (const { name } of commands) expect(script).toContain(name.split(' ').at(-1))
    skip(spawnSync(shell, ['--version']).error !== undefined, `${shell} is not installed`)
    expect(spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' }).stderr).toBe('')
  })
})
