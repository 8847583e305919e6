import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { packPackages } from '../deploy/release/npm-packages.ts'
import { createKey } from './support/account.ts'
import { startNpmRegistry } from './support/npm-registry.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

const repository = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** The published packages need these of other projects. */
const foreign = ['@noble/ciphers', '@noble/hashes', '@scure/base', '@napi-rs/keyring*', '@types/node', 'undici-types']

const program = `import { createClient, download, listVaults, upload } from '@tideport/sdk'
import { openFile } from '@tideport/sdk/node'
const client = createClient({ baseUrl: process.env['TIDEPORT_URL'] ?? '', apiKey: process.env['TIDEPORT_API_KEY'] ?? '' })
const [vault] = (await listVaults(client).page()).vaults
const source = await openFile('sent.txt')
const file = await upload(client, source, { vaultId: vault?.id ?? '', mimeType: 'text/plain' })
await source.close()
console.log(await new Response((await download(client, file.id)).body).text())
`

test('the packages of a release are published, install on an empty machine, and read their first file', async () => {
  await using registry = await startNpmRegistry()
  await using machine = await createTemporaryDirectory('publication')
  const at = (path: string) => join(machine.path, path)
  const { key } = await createKey(freshAccount())
  for (const folder of ['home', 'project', 'foreign']) await mkdir(at(folder))
  await writeFile(at('home/.npmrc'), registry.npmrc)
  const { PATH = '' } = nodeEnvironment()
  const env = { PATH, HOME: at('home'), TIDEPORT_URL: sharedStack().gatewayUrls[0] as string, TIDEPORT_API_KEY: key }
  const inProject = (command: string, ...args: string[]) => run(command, args, { cwd: at('project'), env })

  // npx.full.test.ts has the complete system.
  await packPackages(at('packages'), 'https://github.com/acme/tideport', 'packages/all-in-one')
  const folders = globSync(foreign, { cwd: join(repository, 'node_modules') }).map((name) => join(repository, 'node_modules', name)) // biome-ignore format: one step
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', at('foreign'), ...folders], { env })
  for (const folder of folders) {
    const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    await registry.add(folder, at(`foreign/${name.replace('@', '').replace('/', '-')}-${version}.tgz`))
  }
  const publish = () => run(process.execPath, [join(repository, 'deploy/release/publish.ts'), at('packages')], { env })
  expect((await publish()).stdout).toMatch(/^@tideport\/cli@\S+ published\n@tideport\/sdk@\S+ published\n$/)
  // The workflow may be repeated after an interruption.
  expect((await publish()).stdout).toMatch(/^@tideport\/cli@\S+ was published before\n/)
  const restore = registry.damage('@tideport/cli')
  await expect(publish()).rejects.toThrow(
    /The registry has other bytes for @tideport\/cli@\S+\. Release a new version\./,
  )
  restore()

  await writeFile(at('project/package.json'), '{ "type": "module" }')
  await writeFile(at('project/sent.txt'), 'Hello from an empty machine')
  await inProject('npm', 'install', '@tideport/cli', '@tideport/sdk', '@types/node')
  const tideport = (...args: string[]) => inProject(process.execPath, 'node_modules/.bin/tideport', ...args)
  await tideport('upload', 'sent.txt', '--to', 'default:folder')
  expect((await tideport('cat', 'default:folder/sent.txt')).stdout).toBe('Hello from an empty machine')

  await writeFile(at('project/program.js'), program)
  await writeFile(at('project/program.ts'), program)
  expect((await inProject(process.execPath, 'program.js')).stdout).toBe('Hello from an empty machine\n')
  const tsc = join(repository, 'node_modules/.bin/tsc')
  const options = ['--noEmit', '--strict', '--target', 'es2023', '--lib', 'es2023', '--types', 'node']
  for (const resolution of [['nodenext', 'nodenext'], ['esnext', 'bundler']] as const) // biome-ignore format: a list
    await inProject(tsc, ...options, '--module', resolution[0], '--moduleResolution', resolution[1], 'program.ts')

  const boms = (await readdir(at('packages'))).filter((name) => name.endsWith('.cdx.json'))
  const components = boms.map(async (name) => JSON.parse(await readFile(at(`packages/${name}`), 'utf8')).components)
  const names = (await Promise.all(components)).map((all) => all.map(({ name }: { name: string }) => name))
  const cryptography = ['@noble/ciphers', '@noble/hashes', '@scure/base']
  expect(names[1]).toEqual(cryptography)
  expect(names[0]).toEqual(expect.arrayContaining([...cryptography, '@tideport/sdk', 'ignore', '@napi-rs/keyring']))
})
