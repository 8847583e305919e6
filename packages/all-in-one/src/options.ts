import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { s3PortOf } from '@tideport/dev-stack/ports/s3-port'

export type Environment = Readonly<Record<string, string | undefined>>

export type Options = {
  command: Command
  dataDir: string
  port: number
  s3Port: number
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
  --s3-port PORT    Public port of the S3 API; default: 4 above the public port
  --host ADDRESS    Address of the public ports; default 127.0.0.1
  --key-file FILE   Writes a first API key to FILE, for installations without a browser
  --check           Checks the settings, and exits without touching the data

The image sets TIDEPORT_DATA=/data and HOST=0.0.0.0. docs/operate/one-container.md names the settings.
`

/** Options of the command line, and of TIDEPORT_DATA, PORT, S3_API_PORT, and HOST. Throws `UsageError`. */
export function parseOptions(args: readonly string[], env: Environment): Options {
  const { values, positionals } = parse(args)
  const [given = 'start', ...others] = positionals
  const word = values.help ? 'help' : given
  if (!isWord(word) || others.length > 0) throw new UsageError(`Unknown command "${positionals.join(' ')}".`)
  if (values.check && word !== 'start') throw new UsageError(`--check is an option of start, not of ${word}.`)
  const port = parsePort(values.port ?? env.PORT ?? '8080')
  const s3Port = values['s3-port'] ?? env.S3_API_PORT
  return {
    command: values.check ? 'check' : word,
    dataDir: resolve(values.data ?? dataDirOf(env)),
    port,
    s3Port: s3Port === undefined ? s3PortOf(port) : parsePort(s3Port),
    host: values.host ?? env.HOST ?? '127.0.0.1',
    keyFile: values['key-file'] && resolve(values['key-file']),
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = {
    data: text,
    port: text,
    's3-port': text,
    host: text,
    'key-file': text,
    help: flag,
    check: flag,
  } as const
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
