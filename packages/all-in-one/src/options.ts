import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

export type Environment = Readonly<Record<string, string | undefined>>

export type Options = {
  command: Command
  dataDir: string
  port: number
  host: string
  keyFile: string | undefined
}

/** `check`: the option of `start`. */
export type Command = Word | 'check'
type Word = (typeof words)[number]

export class UsageError extends Error {
  override name = 'UsageError'
}

const words = ['start', 'move-out', 'help'] as const

export const usage = `Usage: tideport [start] [options]
       tideport move-out [--data DIR]

  start             Starts Tideport with its servers (default)
  move-out          Moves the data to the servers in DATABASE_URL and S3_ENDPOINT, while Tideport is stopped

  --data DIR        Directory of all data; default ~/.local/share/tideport
  --port PORT       Public port; default 8080
  --host ADDRESS    Address of the public port; default 127.0.0.1
  --key-file FILE   Writes a first API key to FILE, for installations without a browser
  --check           Checks the settings, and exits without touching the data

The image sets TIDEPORT_DATA=/data and HOST=0.0.0.0. docs/operate/one-container.md names the settings.
`

/** Options of the command line, and of TIDEPORT_DATA, PORT, and HOST. Throws `UsageError`. */
export function parseOptions(args: readonly string[], env: Environment): Options {
  const { values, positionals } = parse(args)
  const [given = 'start', ...others] = positionals
  const word = values.help ? 'help' : given
  if (!isWord(word) || others.length > 0) throw new UsageError(`Unknown command "${positionals.join(' ')}".`)
  if (values.check && word !== 'start') throw new UsageError(`--check is an option of start, not of ${word}.`)
  return {
    command: values.check ? 'check' : word,
    dataDir: resolve(values.data ?? dataDirOf(env)),
    port: parsePort(values.port ?? env.PORT ?? '8080'),
    host: values.host ?? env.HOST ?? '127.0.0.1',
    keyFile: values['key-file'] && resolve(values['key-file']),
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { data: text, port: text, host: text, 'key-file': text, help: flag, check: flag } as const
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}.`, { cause: error })
  }
}

const isWord = (text: string): text is Word => words.some((word) => word === text)

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new UsageError(`The port must be a number from 1 to 65535, not "${text}".`)
  return port
}

export function dataDirOf(env: Environment): string {
  if (env.TIDEPORT_DATA !== undefined) return env.TIDEPORT_DATA
  const base = env.XDG_DATA_HOME
  return join(base?.startsWith('/') ? base : join(homedir(), '.local/share'), 'tideport')
}
