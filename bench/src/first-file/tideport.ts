import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { serverBinary } from '@tideport/dev-stack/binaries/server-binary'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { packPackages } from '../../../deploy/release/npm-packages.ts'
import manifest from '../../package.json' with { type: 'json' }
import { type Attempt, type Contender, curl, gzippedBytes, json, type Place, untilItWorks } from './contender.ts'

/** The npm package `tideport`, as a release of this checkout publishes it. */
export const tideport: Contender = { name: 'Tideport, by npx', version: manifest.version, attempt, downloadBytes }

async function attempt({ folder, file, npmCache }: Place): Promise<Attempt> {
  const [port, adminPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}/api`
  const [data, keyFile] = [join(folder, 'data'), join(folder, 'key')]
  const options = ['--port', String(port), '--data', data, '--key-file', keyFile]
  const args = ['--yes', '--prefer-offline', '--package', await packedIn(npmCache), 'tideport', ...options]
  return {
    commands: [{ command: 'npx', args, env: { ADMIN_PORT: String(adminPort) } }],
    async store() {
      const create = async () => {
        const key = `authorization: Bearer ${(await readFile(keyFile, 'utf8')).trim()}`
        const vault = json({ name: 'First', visibility: 'public' })
        return { key, vault: JSON.parse(await curl('--header', key, ...vault, `${url}/vaults`)) as { id: string } }
      }
      const { key, vault } = await untilItWorks(create)
      const target = `${url}/vaults/${vault.id}/content/first.txt`
      const stored = await curl('--header', key, '--upload-file', file, target)
      return [`${url}/public/files/${JSON.parse(stored).id}`]
    },
  }
}

/** The packed package. The first round packs it, before its time starts. */
async function packedIn(npmCache: string): Promise<string> {
  const directory = join(npmCache, 'packed')
  const find = async () =>
    (await readdir(directory).catch(() => [])).find((name) => /^tideport-all-in-one.*\.tgz$/.test(name))
  if ((await find()) === undefined) await packPackages(directory)
  return join(directory, (await find()) as string)
}

async function downloadBytes({ npmCache }: Place): Promise<number> {
  const packages = join(npmCache, '_cacache/content-v2')
  const entries = await readdir(packages, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size))
  const servers = await Promise.all((['nats-server', 'versitygw'] as const).map((name) => serverBinary(name)))
  const serverSizes = await Promise.all(servers.map(gzippedBytes))
  return [...sizes, ...serverSizes].reduce((sum, size) => sum + size, 0)
}
