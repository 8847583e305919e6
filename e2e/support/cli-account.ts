import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createClient, type FileRecord, listFiles, listVaults } from '@tideport/sdk'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { inject } from 'vitest'
import { createKey } from './account.ts'
import { freshAccount, sharedStack } from './shared-stack.ts'

interface RunOptions {
  stdin?: string | Uint8Array
  environment?: Record<string, string>
  /** Kills itself with SIGKILL after printing this many lines, because a reader of the lines may be too late. */
  killAfterLines?: number
  /** Sends the signal as soon as this is true for the output so far. */
  signalWhen?: (printed: string) => boolean
  signal?: NodeJS.Signals
  /** Sends a signal, or interrupts like Ctrl-C, when this aborts. */
  stop?: AbortSignal
  /** Called with the output so far, until it returns true. */
  onStderr?: (told: string) => Promise<boolean>
}

/** Makes Node kill itself. */
const dying = (lines: number) =>
  `--import="data:text/javascript,${encodeURIComponent(`
    const { stdout } = process
    const { write } = stdout
    let left = ${lines}
    stdout.write = (text, ...others) => {
      const hasRoom = write.call(stdout, text, ...others)
      left -= String(text).split('\\n').length - 1
      if (left <= 0) process.kill(process.pid, 'SIGKILL')
      return hasRoom
    }`)}"`

/** A user with an account, a home directory, and a working folder, separate from the user of this machine. */
export async function cliAccount() {
  const baseUrl = sharedStack().gatewayUrls[0] as string
  const account = freshAccount()
  const { key } = await createKey(account)
  const user = await cliUser(baseUrl, key)
  const client = createClient({ baseUrl, apiKey: key, attempts: 12 })
  const defaultVault = async () => (await listVaults(client).page()).vaults[0]?.id as string
  /** Files of a vault, by their paths. */
  async function filesOf(vaultId?: string): Promise<FileRecord[]> {
    const files: FileRecord[] = []
    const listed = listFiles(client, { vaultId: vaultId ?? (await defaultVault()), sortBy: 'path', limit: 100 })
    for await (const file of listed) files.push(file)
    return files
  }
  const paths = async () => (await filesOf()).map(({ path }) => path)
  return { ...user, key, account, client, defaultVault, filesOf, paths }
}

/** Runs against any service, and without an account unless a key is given. */
export async function cliUser(baseUrl: string, key = '') {
  const directory = await createTemporaryDirectory('cli')
  const folder = join(directory.path, 'work')
  await mkdir(folder)
  const environment = { HOME: join(directory.path, 'home'), TIDEPORT_URL: baseUrl, TIDEPORT_API_KEY: key }

  async function tideport(args: string[], options: RunOptions = {}) {
    const child = spawn(process.execPath, [inject('commandLine'), ...args], {
      cwd: folder,
      env: {
        ...nodeEnvironment(),
        ...environment,
        ...(options.killAfterLines !== undefined && { NODE_OPTIONS: dying(options.killAfterLines) }),
        ...options.environment,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    // The command may exit before it has read everything.
    child.stdin.on('error', () => {})
    child.stdin.end(options.stdin ?? '')
    let printed = ''
    let isSignalled = false
    child.stdout.on('data', (chunk) => {
      printed += chunk
      if (isSignalled || !options.signalWhen?.(printed)) return
      // Once, because a second SIGINT exits before the command reports what remains.
      isSignalled = child.kill(options.signal ?? 'SIGINT')
    })
    options.stop?.addEventListener('abort', () => child.kill(options.signal ?? 'SIGINT'), { once: true })
    const stderr = text(child.stderr)
    let told = ''
    let seen: Promise<boolean> = Promise.resolve(false)
    if (options.onStderr) {
      child.stderr.on('data', (chunk) => {
        told += chunk
        seen = seen.then((isDone) => isDone || (options.onStderr?.(told) ?? true))
        seen.catch(() => child.kill())
      })
    }
    const code = await new Promise<number | null>((resolve) => child.once('close', (ended) => resolve(ended)))
    await seen
    return {
      code,
      stdout: printed,
      stderr: await stderr,
      values: () => printed.split('\n').slice(0, -1).map((line) => JSON.parse(line)), // biome-ignore format: one chain
    }
  }

  const at = (path: string) => join(folder, path)
  /** Files of the folder, by their paths. */
  async function write(files: Record<string, string | Uint8Array>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(at(`${path}/..`), { recursive: true })
      await writeFile(at(path), content)
    }
  }
  const read = (path: string) => readFile(at(path), 'utf8')

  return {
    ...{ tideport, folder, at, write, read },
    home: environment.HOME,
    baseUrl,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}
