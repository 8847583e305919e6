import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { parseNetworks } from '@tideport/dev-stack/cli/parse-options'
import { ApiError } from '@tideport/sdk'
import mime from 'mime'
import { changeNetworks } from './change-networks.ts'
import type { Original } from './demo-file.ts'
import { type DemoStack, findOrStartStack } from './demo-stack.ts'
import { runJourney } from './journey.ts'
import { measure } from './measure-stream.ts'
import { openInBrowser } from './open-in-browser.ts'
import { readableBytes, startProgress } from './progress.ts'
import { createTimings, type Timings } from './timings.ts'

const usage =
  'Usage: npm run demo [-- --file PATH] [--keep] [--open] [--data DIR] [--networks disk-a,disk-b [--files 150]]'
const MANY_FILES = 150
const MANY_FILES_MAX = 10_000
const checkout = fileURLToPath(new URL('../../../', import.meta.url))
const stop = new AbortController()

interface Options {
  file: string
  keep: boolean
  /** Opens the console at the end, so the stack keeps running. */
  open: boolean
  data: string | undefined
  networks: string[]
  files: number
}

process.exitCode = await main().catch((error: Error) => fail(stop.signal.aborted ? 'Stopped.' : describe(error)))
process.exit()

async function main(): Promise<number> {
  const { file, keep, open, data, networks, files } = readOptions()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort())
  const original = await readOriginal(resolve(file))
  tell(`The file: ${original.path}, ${readableBytes(original.sizeBytes)}, SHA-256 ${original.sha256.slice(0, 16)}…`)

  const dataDirs = data
    ? { running: resolve(data), own: resolve(data) }
    : { running: join(checkout, '.tideport'), own: join(checkout, '.tideport', 'demo') }
  await using stack = await findOrStartStack({ dataDirs, keep, networks, env: process.env, signal: stop.signal, tell })
  tell(`The stack (${stack.origin}) is available at ${stack.gatewayUrl}`)

  const timings = createTimings()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  stop.signal.throwIfAborted()
  stop.signal.addEventListener('abort', () => reject(new Error('Stopped.')))
  const vaultId = await Promise.race([show(stack, networks.length > 1 ? files : 0, { original, timings }), stopped])
  process.stdout.write(`\n${timings.table()}\n\n`)
  tell('Every read returned the same SHA-256, and the private file was decrypted locally. All checks passed.')
  if (stack.origin === 'own, kept')
    tell(`The stack keeps running at ${stack.gatewayUrl}. Its data is in ${dataDirs.own}`)
  if (open) await showConsole(`${stack.gatewayUrl}/console/vaults/${vaultId}`)
  return 0
}

async function showConsole(url: string): Promise<void> {
  const isOpened = await openInBrowser(url)
  tell(
    `The file in the console, as the first user: ${url}${isOpened ? '' : ' (no browser found: open the link yourself)'}`,
  )
}

/**
 * With several networks, also shows a lost copy and a change of networks with `manyFiles` files. Returns the id of the
 * public vault.
 */
async function show(
  stack: DemoStack,
  manyFiles: number,
  { original, timings }: { original: Original; timings: Timings },
): Promise<string> {
  const { vaultId, readAgain } = await runJourney({ ...stack, loses: manyFiles > 0 }, original, timings, tell)
  const { changeNetworks: change } = stack
  if (manyFiles === 0 || !change) return vaultId
  await changeNetworks({ ...stack, changeNetworks: change }, manyFiles, timings, tell)
  await readAgain()
  return vaultId
}

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        file: { type: 'string' },
        keep: { type: 'boolean' },
        open: { type: 'boolean' },
        data: { type: 'string' },
        networks: { type: 'string' },
        files: { type: 'string' },
      },
    })
    const { file = join(checkout, 'README.md'), keep = false, open = false, data, networks, files } = values
    if (files !== undefined && networks === undefined) throw new Error('--files requires --networks.')
    return {
      file,
      keep: keep || open,
      open,
      data,
      networks: networks === undefined ? [] : parseNetworks(networks),
      files: files === undefined ? MANY_FILES : parseFiles(files),
    }
  } catch (error) {
    fail(`${(error as Error).message}\n${usage}`)
    process.exit(2)
  }
}

function parseFiles(text: string): number {
  const files = Number(text)
  if (!/^\d+$/.test(text) || files < 1 || files > MANY_FILES_MAX)
    throw new Error(`--files takes a number from 1 to ${MANY_FILES_MAX}, not "${text}".`)
  return files
}

async function readOriginal(path: string): Promise<Original> {
  const facts = await stat(path).catch(() => null)
  if (!facts?.isFile()) throw new Error(`File not found: ${path}`)
  const { sha256, sizeBytes } = await measure(
    createReadStream(path, { highWaterMark: 1024 * 1024 }),
    startProgress('hashing', facts.size, process.stdout),
  )
  return { path, mimeType: mime.getType(path) ?? 'application/octet-stream', sizeBytes, sha256 }
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}

function describe(error: Error): string {
  if (!(error instanceof ApiError)) return error.message
  return `${error.message} (${error.code ?? error.status}, request ${error.requestId})`
}

function fail(sentence: string): number {
  process.stderr.write(`\nThe demo failed: ${sentence}\n`)
  return 1
}
