import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/commands/all.ts'
import type { Command } from '../../src/grammar/command.ts'
import { Cancelled } from '../../src/terminal/failures.ts'
import { visibleLines } from '../../src/terminal/visible.ts'
import { runLine } from '../run-line.ts'

const id = '01a21349-feb8-7198-a97b-f286c865d481'
const values: Record<string, string> = { vault: 'photos', id, file: 'photos:a', name: 'x', place: 'photos:a', from: 'photos:a/', to: 'photos:b/', subscription: id, delivery: id, shell: 'bash', url: 'https://example.com/hook', webhook: id } // biome-ignore format: one table
/** Commands that send no request. */
const offline = ['profiles', 'completion', 'man', 'logout', 'login']
/** Commands that report a rejected key differently: as a finding, or to their client. */
const tellsItself = ['doctor', 'mcp']
/** Commands that need options, or other arguments than `values` has. */
const special: Record<string, string[]> = {
  sync: ['LOCAL', 'photos:b'],
  upload: ['LOCAL/a.txt', '--to', 'photos:'],
  'vaults restore': [id],
  'webhooks create': ['https://example.com/hook', '--event', 'file.hot'],
  'webhooks redeliver': [id, id],
}

let refusing: string
let local: string

/** A service that rejects every key, like the gateway. */
beforeAll(async () => {
  const server = createServer((_, response) => {
    response.writeHead(401, { 'content-type': 'application/json', 'x-request-id': 'r-1' })
    response.end(JSON.stringify({ error: 'The key is not known', code: 'unauthenticated' }))
  })
  refusing = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const directory = await createTemporaryDirectory('exit-codes')
  local = join(directory.path, 'here')
  await mkdir(local)
  await writeFile(join(local, 'a.txt'), 'a')
  return async () => {
    await closeAtOnce(server)
    await directory[Symbol.asyncDispose]()
  }
})

function lineOf({ name, arguments: specs }: Command): string[] {
  const words = special[name] ?? Object.keys(specs).map((argument) => values[argument] ?? 'x')
  return [...name.split(' '), ...words.map((word) => word.replace('LOCAL', local))]
}

function type(args: string[], environment: Record<string, string> = {}, signal?: AbortSignal) {
  return runLine(args, { HOME: join(local, '..', 'home'), ...environment }, signal)
}

const named = commands.map((one): [string, Command] => [one.name, one])
const online = named.filter(([name]) => !offline.includes(name))
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line)) // biome-ignore format: one chain

describe('a command line', () => {
  it('accepts global options before the command', async () => {
    const help = await type(['vaults', 'create', '--help'])
    for (const args of [['--help', 'vaults', 'create'], ['help', 'vaults', 'create'], ['-q', 'help', 'vaults', 'create']]) {
      expect(await type(args)).toEqual(help)
    } // biome-ignore format: a line each
    const ended = await type(['--json', '--url', refusing, '--profile=x', 'ls', 'photos:'])
    expect(ended).toMatchObject({ code: 4, stdout: '' })
    expect(linesOf(ended.stderr)).toMatchObject([{ error: expect.stringContaining(refusing) }])
  })

  it('reports an unknown command, and lists all commands without one', async () => {
    const all = await type([])
    expect(all).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('vaults create') })
    for (const args of [['help'], ['--help'], ['-h'], ['--json', '--help']]) expect(await type(args)).toEqual(all)
    for (const args of [['--version'], ['version']])
      expect(await type(args)).toMatchObject({ code: 0, stdout: 'tideport 1\n' })
    const faults: [args: string[], fault: string][] = [
      [['nonsense'], 'Unknown command "nonsense"'],
      [['help', 'nonsense'], 'Unknown command "nonsense"'],
      [['--json', 'nonsense'], 'Unknown command \\"nonsense\\"'],
      [['--json'], 'COMMAND is missing'],
      [['--url', 'ls'], 'COMMAND is missing'],
      [['--no-such', 'vaults'], "Unknown option '--no-such'"],
    ]
    for (const [args, fault] of faults) {
      expect(await type(args)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(fault) })
    }
  })
})

describe('an error', () => {
  it('of a rejected key names the source of the key', async () => {
    const ended = await type(['vaults'], { TIDEPORT_URL: refusing, TIDEPORT_API_KEY: 'tdp_x' })
    expect(ended).toMatchObject({ code: 4, stdout: '' })
    expect(ended.stderr).toBe(
      'tideport: The key is not known (request r-1)\nThe rejected key is from TIDEPORT_API_KEY\n',
    )
  })

  it('without a response contains the system error code', async () => {
    const gone = createServer()
    const TIDEPORT_URL = `http://127.0.0.1:${await listenOnLoopback(gone)}`
    await closeAtOnce(gone)
    const { code, stderr } = await type(['vaults', '--json'], { TIDEPORT_URL, TIDEPORT_API_KEY: 'tdp_x' })
    expect(code).toBe(1)
    expect(linesOf(stderr)).toEqual([
      { error: 'The service did not respond (ECONNREFUSED)', code: null, requestId: null },
    ])
  })
})

describe('every command', () => {
  it.each(online)('%s exits with 4 without a key, and reports the error as JSON', async (_, one) => {
    const ended = await type([...lineOf(one), '--json'], { TIDEPORT_URL: refusing })
    expect(ended).toMatchObject({ code: 4, stdout: '' })
    expect(linesOf(ended.stderr)).toMatchObject([{ error: expect.stringContaining('TIDEPORT_API_KEY'), code: null }])
  })

  const refused = online.filter(([name]) => !tellsItself.includes(name))
  it.each(refused)('%s exits with 4 if the key is rejected', async (_, one) => {
    const environment = { TIDEPORT_URL: refusing, TIDEPORT_API_KEY: 'tdp_x' }
    const ended = await type([...lineOf(one), '--json'], environment)
    expect(ended.code).toBe(4)
    const told = (ended.stdout + ended.stderr).split('\n').filter((line) => line.startsWith('{'))
    expect(linesOf(told.join('\n'))).toContainEqual(
      expect.objectContaining({ code: 'unauthenticated', requestId: 'r-1' }),
    )
  })

  it.each(online)('%s exits with 2 when it is stopped', async (_, one) => {
    const environment = { TIDEPORT_URL: refusing, TIDEPORT_API_KEY: 'tdp_x' }
    const ended = await type(lineOf(one), environment, AbortSignal.abort(new Cancelled('Stopped')))
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/^tideport: Stopped\n$/m) })
  })

  it.each(named)('%s exits with 1 for an unknown option', async (_, one) => {
    const ended = await type([...lineOf(one), '--no-such', '--json'])
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(linesOf(ended.stderr)).toMatchObject([{ error: expect.stringContaining('--no-such') }])
  })

  it.each(named)('%s exits with 0 for --help', async (_, one) => {
    const ended = await type([...one.name.split(' '), '--help'])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    // No colors or other escape sequences, for any output.
    expect(visibleLines(ended.stdout.split('\n'))).toBe(ended.stdout)
  })
})
