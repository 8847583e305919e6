import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const configuration = [
  'package.json',
  'biome.jsonc',
  'wall-by-path.grit',
  'tsconfig.json',
  'tsconfig.node.json',
  'knip.json',
  '.gitignore',
]
const workspaces = [
  ...[
    'contracts',
    'service-kit',
    'hot-tier',
    'file-lifecycle',
    'storage-network',
    'set-up',
    'versitygw',
    'walrus-devnet',
    'operator',
    'dev-stack',
    'testing',
    'sdk',
    'cli',
  ].map((name) => `packages/${name}`),
  ...['gateway', 'auth', 'files', 'sync', 'eviction', 'webhooks'].map((name) => `services/${name}`),
  ...['apps/demo', 'apps/console', 'tools/check-migrations', 'tools/generate-docs', 'e2e'],
]

/** A copy of the workspace without its code: same tools, same configuration. */
let copy: string
beforeAll(async () => {
  copy = await realpath(await mkdtemp(join(tmpdir(), 'tideport-walls-')))
  for (const file of configuration) await cp(join(root, file), join(copy, file))
  for (const workspace of workspaces) {
    await mkdir(join(copy, workspace, 'src'), { recursive: true })
    await cp(join(root, workspace, 'package.json'), join(copy, workspace, 'package.json'))
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rm(copy, { recursive: true }))

/** Runs a tool in the copy with these files in place, which are gone afterwards. */
async function check(files: Record<string, string>, tool: string, ...args: string[]) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(copy, path)), { recursive: true })
    await writeFile(join(copy, path), text)
  }
  try {
    const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin', tool), args, { cwd: copy })
    return { passed: true, output: relative(stdout) }
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    return { passed: false, output: relative(stdout + stderr) }
  } finally {
    for (const path of Object.keys(files)) await rm(join(copy, path))
  }
}

/** Some tools name absolute paths. */
const relative = (output: string) => output.replaceAll(`${copy}/`, '')

const lint = (files: Record<string, string>) =>
  check(files, 'biome', 'ci', '--reporter=github', '--max-diagnostics=none')

/** Imports that cross no wall. */
const allowed: [folder: string, imported: string][] = [
  ['packages/contracts/src', 'zod'],
  ['packages/contracts/src', './b.ts'],
  ['packages/sdk/src/transfer', '../b.ts'],
  ['packages/sdk/src/node', 'node:fs/promises'],
  ['e2e', '@tideport/sdk/node'],
  ['packages/cli/src/transfer', '@tideport/sdk/node'],
  ['packages/storage-network/src', 'node:fs/promises'],
  ['packages/storage-network/src', '@tideport/s3-client/s3-client'],
  ['packages/storage-network/src', '@mysten/walrus-wasm'],
  ['packages/walrus-devnet/src', '@tideport/storage-network/walrus/blob-id'],
  ['packages/service-kit/src', '@tideport/contracts/endpoint/errors'],
  ['packages/hot-tier/src', '@tideport/s3-client/signature'],
  ['packages/file-lifecycle/src', '@tideport/storage-network/errors'],
  ['services/sync/src', '@tideport/file-lifecycle/transitions'],
  ['services/auth/test/unit', '@tideport/testing/postgres'],
  ['services/files/test/unit', '@tideport/file-lifecycle/test/bundle'],
  ['packages/file-lifecycle/test/unit', '@tideport/testing/postgres'],
  ['packages/testing/src', '@tideport/dev-stack/servers/launch-nats'],
  ['packages/dev-stack/src', '@tideport/versitygw/break-cut-uploads'],
  ['packages/operator/src', '@tideport/file-lifecycle/settings'],
  ['apps/demo/src', '@tideport/dev-stack/stack/start-stack'],
  ['apps/demo/src', '@tideport/sdk/crypto'],
  ['apps/console/src/api', '@tideport/sdk'],
]

/** Imports that each cross one. */
const forbidden: [folder: string, imported: string][] = [
  ['packages/contracts/src', '@tideport/service-kit/config'],
  ['packages/contracts/src', 'fastify'],
  ['packages/contracts/src', 'node:fs'],
  ['packages/sdk/src', 'node:fs'],
  ['packages/sdk/src', '@tideport/contracts/endpoint/errors'],
  ['packages/sdk/src/node', 'zod'],
  ['packages/cli/src', '@tideport/contracts/endpoint/errors'],
  ['packages/storage-network/src', 'zod'],
  ['packages/storage-network/src', '@tideport/contracts/endpoint/errors'],
  ['packages/service-kit/src', '@tideport/file-lifecycle/state'],
  ['packages/file-lifecycle/src', '@tideport/dev-stack/stack/start-stack'],
  ['packages/file-lifecycle/src', '@tideport/testing/postgres'],
  ['services/files/src', '@tideport/file-lifecycle/test/bundle'],
  ['services/sync/src', '@tideport/testing/postgres'],
  ['packages/dev-stack/src', '@tideport/contracts/endpoint/errors'],
  ['packages/dev-stack/src', '@tideport/service-kit/config'],
  ['packages/testing/src', '@tideport/file-lifecycle/state'],
  ['packages/set-up/src', '@tideport/service-kit/config'],
  ['packages/versitygw/src', '@tideport/set-up/prepare-bucket'],
  ['packages/walrus-devnet/src', '@tideport/s3-client/s3-client'],
  ['packages/s3-client/src', '@tideport/service-kit/config'],
  ['packages/hot-tier/src', '@tideport/file-lifecycle/state/tables'],
  ['packages/file-lifecycle/src', '@tideport/s3-client/s3-client'],
  ['packages/operator/src', '@tideport/files/app'],
  ['services/gateway/src', '@tideport/file-lifecycle/state'],
  ['services/auth/src', '@tideport/file-lifecycle/state'],
  ['services/webhooks/src', '@tideport/file-lifecycle/state'],
  ['services/gateway/src', '@tideport/auth/app'],
  ['services/files/src', '@tideport/sync/sync-file'],
  ['services/sync/src', '@tideport/eviction/evict-file'],
  ['services/files/test/unit', '@tideport/webhooks/app'],
  ['apps/demo/src', '@tideport/service-kit/config'],
  ['apps/demo/src', '@tideport/contracts/endpoint/errors'],
  ['apps/console/src/api', '@tideport/contracts/public/api'],
  ['apps/console/src', '@tideport/sdk/node'],
  ['e2e', '@tideport/contracts/public/api'],
  ['tools/check-migrations', '@tideport/contracts/endpoint/errors'],
  ['tools/generate-docs', '@tideport/files/app'],
  ['deploy/image', '@tideport/contracts/endpoint/errors'],
]

describe('import walls', () => {
  it('stand between folders, and only there', async () => {
    const crossing = forbidden.map(([folder, name], index) => [`${folder}/forbidden-${index}.ts`, importing(name)])
    const staying = allowed.map(([folder, name], index) => [`${folder}/allowed-${index}.ts`, importing(name)])
    const { passed, output } = await lint(Object.fromEntries([...crossing, ...staying]))
    expect(passed).toBe(false)
    const refused = output.split('\n').filter((line) => line.startsWith('::error') && line.includes('Wall: '))
    expect(refused.map((line) => /file=([^,]+)/.exec(line)?.[1]).toSorted()).toEqual(
      crossing.map(([path]) => path).toSorted(),
    )
    expect(output.split('\n').filter((line) => line.startsWith('::error'))).toHaveLength(forbidden.length)
  })

  it('keep the walls of src when only a type is imported', async () => {
    const text = "import type { Thing } from '@tideport/file-lifecycle/state/state'\n\nexport const thing: Thing = 1\n"
    const { output } = await lint({ 'services/auth/src/a.ts': text })
    expect(output).toContain('Wall: ')
  })

  it('keep code from what its package.json does not name, testing included', async () => {
    const files = {
      'services/auth/src/main.ts': "import '@tideport/testing/wait-for'\nimport 'koa'\n",
      'services/sync/src/main.ts': "import 'fastify-plugin'\n",
    }
    const { passed, output } = await check(files, 'knip', '--strict', '--dependencies', '--no-config-hints')
    expect(passed).toBe(false)
    const unlisted = output.slice(output.indexOf('Unlisted dependencies'))
    for (const name of ['@tideport/testing', 'koa', 'fastify-plugin']) expect(unlisted).toContain(name)
  })

  it('keep a workspace from reaching into another by path', async () => {
    const files = {
      'services/auth/src/a.ts': "import { thing } from '../../files/src/b.ts'\n\nthing()\n",
      'services/files/src/b.ts': 'export const thing = () => {}\n',
    }
    const { passed, output } = await check(files, 'biome', 'lint')
    expect(passed).toBe(false)
    expect(output).toContain('Wall: another workspace is imported by its name')
  })
})

describe('module rules', () => {
  it('refuse cycles', async () => {
    const files = {
      'services/auth/src/a.ts': "import { b } from './b.ts'\n\nexport const a = () => b()\n",
      'services/auth/src/b.ts': "import { a } from './a.ts'\n\nexport const b = () => a()\n",
    }
    const { output } = await lint(files)
    expect(output).toContain('noImportCycles')
  })

  it('refuse barrels and re-exports', async () => {
    const files = {
      'services/auth/src/a.ts': "export { b } from './b.ts'\nexport * from './b.ts'\n",
      'services/auth/src/b.ts': 'export const b = 1\n',
    }
    const { output } = await lint(files)
    expect(output).toMatch(/noBarrelFile.*noReExportAll/s)
  })

  it('refuse the environment outside main.ts', async () => {
    const text = 'export const home = process.env.HOME\n'
    const inModule = await lint({ 'services/auth/src/a.ts': text })
    expect(inModule.output).toContain('noProcessEnv')
    const inMain = await lint({ 'services/auth/src/main.ts': text })
    expect(inMain.passed).toBe(true)
  })

  it('refuse dead files and dead exports', async () => {
    const files = {
      'services/auth/src/main.ts': "import { used } from './used.ts'\n\nused()\n",
      'services/auth/src/used.ts': 'export const used = () => {}\nexport const deadExport = 1\n',
      'services/auth/src/dead-file.ts': 'export const x = 1\n',
    }
    const { passed, output } = await check(files, 'knip', '--no-config-hints')
    expect(passed).toBe(false)
    expect(output).toMatch(/Unused files.*dead-file\.ts/s)
    expect(output).toMatch(/Unused exports.*deadExport/s)
  })

  it('are all part of `npm run check`', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect(scripts.check).toMatch(/^biome ci .*\. && tsc -b && knip && knip --strict --dependencies && .*generate/)
  })
})

function importing(name: string): string {
  return `import { thing } from '${name}'\n\nthing()\n`
}
