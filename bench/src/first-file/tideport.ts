import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serverBinary } from '@tideport/dev-stack/binaries/server-binary'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import manifest from '../../package.json' with { type: 'json' }
import { type Attempt, type Contender, curl, gzippedBytes, type Place, untilItWorks } from './contender.ts'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))

/** The committed state of this checkout, from a clone. */
export const tideport: Contender = { name: 'Tideport, from a clone', version: manifest.version, attempt, downloadBytes }

async function attempt({ folder, file }: Place): Promise<Attempt> {
  const port = await freePort()
  const cwd = join(folder, 'clone')
  const url = `http://127.0.0.1:${port}/api`
  return {
    commands: [
      { command: 'git', args: ['clone', '--quiet', '--depth=1', `file://${checkout}`, cwd] },
      { command: 'npm', args: ['ci', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline'], cwd },
      { command: 'npm', args: ['start', '--', `--port=${port}`, '--quiet'], cwd },
    ],
    async store() {
      const { vaults } = JSON.parse(await untilItWorks(() => curl(`${url}/vaults`))) as { vaults: { id: string }[] }
      const stored = await curl('--upload-file', file, `${url}/vaults/${vaults[0]?.id}/content/first.txt`)
      return [`${url}/public/files/${JSON.parse(stored).id}`]
    },
  }
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
