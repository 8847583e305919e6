import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cacheDir } from '@tideport/dev-stack/binaries/cache-dir'
import { exists } from '@tideport/dev-stack/file-system/exists'
import { withFileLock } from '@tideport/dev-stack/processes/file-lock'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { runCommand } from '@tideport/dev-stack/processes/run-command'
import { startReceiver } from '@tideport/testing/receiver'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildPackage } from '../packages/cli/build/build-package.ts'
import { buildPackage as buildSdk } from '../packages/sdk/build/build-package.ts'
import { createKey } from './support/account.ts'
import type { Given } from './support/runtimes/use-everything.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { createWebhook } from './support/webhook-events.ts'

const pins = fileURLToPath(new URL('../tools/runtimes/', import.meta.url))

/**
 * The `node_modules` with the runtimes that `tools/runtimes` pins. npm installs them into the cache once, without
 * running package scripts. Undefined if the installation failed.
 */
async function fetchRuntimes(): Promise<string | undefined> {
  const lock = await readFile(join(pins, 'package-lock.json'))
  const name = createHash('sha256').update(lock).digest('hex').slice(0, 12)
  const directory = join(cacheDir(), `runtimes-${name}`)
  await mkdir(cacheDir(), { recursive: true, mode: 0o755 })
  if (!(await exists(directory))) {
    await withFileLock(`${directory}.lock`, async () => {
      if (!(await exists(directory))) await install(directory).catch(() => {})
    })
  }
  return (await exists(directory)) ? join(directory, 'node_modules') : undefined
}

async function install(directory: string): Promise<void> {
  const work = await mkdtemp(`${directory}-`)
  try {
    for (const file of ['package.json', 'package-lock.json']) await cp(join(pins, file), join(work, file))
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
    await runCommand('npm', args, { env: hostEnvironment(), cwd: work, timeoutMs: 300_000 })
    await rename(work, directory)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const run = promisify(execFile)
const repository = join(import.meta.dirname, '..')
const modules = await fetchRuntimes()

/** The binary of a runtime for this machine. Undefined: not installed. */
const binary = (pattern: string) =>
  globSync(pattern, { cwd: modules ?? repository }).map((path) => join(modules as string, path))[0]
const node22 = modules && binary('node-*/bin/node')
const bun = modules && binary('@oven/bun-*/bin/bun')
const deno = modules && binary('@deno/*/deno')
const workerd = modules && binary('@cloudflare/workerd-*/bin/workerd')

/** A project with the published form of the package installed, and with the programs. */
let project: Awaited<ReturnType<typeof createTemporaryDirectory>>
beforeAll(async () => {
  project = await createTemporaryDirectory('runtimes')
  const installed = join(project.path, 'node_modules/@tideport/sdk')
  await buildSdk(installed)
  await writeFile(join(project.path, 'package.json'), '{ "type": "module" }')
  const dependencies = ['@noble/ciphers', '@noble/hashes', '@scure/base']
  for (const name of dependencies) await cp(join(repository, 'node_modules', name), join(project.path, 'node_modules', name), { recursive: true }) // biome-ignore format: one step
  await bundle('process-main', /^(@tideport\/|node:)/)
  await bundle('worker-main')
})
afterAll(() => project?.[Symbol.asyncDispose]())

async function bundle(name: string, external?: RegExp): Promise<void> {
  const built = await rolldown({
    input: join(import.meta.dirname, `support/runtimes/${name}.ts`),
    platform: 'browser',
    logLevel: 'silent',
    ...(external && { external }),
  })
  await built.write({ file: join(project.path, `${name}.js`), format: 'esm', codeSplitting: false })
}

async function given(): Promise<Given> {
  const account = freshAccount()
  const { key: apiKey } = await createKey(account)
  await using receiver = await startReceiver()
  const { id, secret } = await createWebhook(account, receiver, ['file.hot'])
  await account.post(`/api/webhooks/${id}/test`)
  const [{ body, headers } = { body: '', headers: {} }] = receiver.requests
  const delivery = { body: String(body), headers: headers as Record<string, string>, secret }
  return { baseUrl: sharedStack().gatewayUrls[0] as string, apiKey, delivery }
}

const expected = {
  names: ['once', 'parts', 'small.txt', 'stream'],
  small: 'small',
  whole: [true, true],
  part: true,
  progress: true,
  missing: true,
  aborted: 'enough',
  lastState: 'done',
  trashed: 1,
  event: 'file.hot',
  forged: 'WebhookVerificationError',
  private: [true, true],
}

async function runsAsProcess(command = '', args: string[] = []): Promise<void> {
  const env = { PATH: '', HOME: project.path, GIVEN: JSON.stringify(await given()) }
  const options = { cwd: project.path, env, timeout: 120_000 }
  // The program also uploads a file from disk.
  const { stdout } = await run(command, [...args, 'process-main.js', 'worker-main.js'], options)
  expect(JSON.parse(stdout)).toEqual({ ...expected, fromDisk: true })
}

test.skipIf(node22 === undefined || process.platform !== 'linux')('the published CLI works in Node 22', async () => {
  const installed = join(project.path, 'node_modules/@tideport/cli')
  await buildPackage(installed)
  const { key } = await createKey(freshAccount())
  const env = { HOME: project.path, TIDEPORT_URL: sharedStack().gatewayUrls[0] as string, TIDEPORT_API_KEY: key }
  const tideport = (...args: string[]) => run(node22 as string, [join(installed, 'tideport.mjs'), ...args], { env })
  await tideport('upload', join(installed, 'tideport.1'), '--to', 'default')
  const { stdout } = await tideport('cat', 'default:tideport.1')
  expect(stdout).toBe(await readFile(join(installed, 'tideport.1'), 'utf8'))
  // A full disk must not be treated like a reader that closed the pipe.
  const onFullDisk = ['-c', '"$0" "$@" > /dev/full', node22 as string, join(installed, 'tideport.mjs')]
  const full = run('sh', [...onFullDisk, 'cat', 'default:tideport.1'], { env })
  await expect(full).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('ENOSPC') })
})

/** Skipped if npm has no runtime for this machine or is unreachable. */
describe.concurrent('the published packages work as documented', () => {
  test.skipIf(node22 === undefined)('in Node 22', () => runsAsProcess(node22))
  test.skipIf(bun === undefined)('in Bun', () => runsAsProcess(bun))
  test.skipIf(deno === undefined)('in Deno', () =>
    runsAsProcess(deno, ['run', '--no-prompt', '--allow-net', '--allow-env', '--allow-read']),
  )

  test.skipIf(workerd === undefined)('in workerd', async () => {
    await writeFile(join(project.path, 'config.capnp'), configuration)
    const child = spawn(workerd as string, ['serve', 'config.capnp', '--control-fd=1'], { cwd: project.path })
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const { port } = JSON.parse((await lines.next()).value as string)
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(await given()) })
      expect(await response.json()).toEqual(expected)
    } finally {
      child.kill('SIGKILL')
    }
  })
})

const configuration = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [(name = "worker", esModule = embed "worker-main.js")], compatibilityDate = "2026-01-01")),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`
