import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
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
const { workspaces: patterns } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  workspaces: string[]
}
const workspaces = globSync(
  patterns.map((pattern) => `${pattern}/package.json`),
  { cwd: root },
).map(dirname)

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

/** Runs a tool in the copy with these additional files, and deletes them afterwards. */
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

/** Some tools print absolute paths. */
const relative = (output: string) => output.replaceAll(`${copy}/`, '')

const lint = (files: Record<string, string>) =>
  check(files, 'biome', 'ci', '--reporter=github', '--max-diagnostics=none')

/** Imports that each cross an import boundary. `npm run check` checks the real code. */
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
  ['packages/file-lifecycle/src', '@tideport/bulk-jobs/jobs/run-jobs'],
  ['packages/bulk-jobs/src', '@tideport/export/job/job-kinds'],
  ['packages/repair/src', '@tideport/bulk-jobs/jobs/run-jobs'],
  ['packages/repair/test', '@tideport/export/job/job-kinds'],
  ['packages/export/src', '@tideport/repair/runs/carry-on-run'],
  ['packages/export/src', '@tideport/file-lifecycle/testing/bundle'],
  ['services/files/src', '@tideport/file-lifecycle/testing/bundle'],
  ['services/sync/src', '@tideport/testing/postgres'],
  ['packages/dev-stack/src', '@tideport/contracts/endpoint/errors'],
  ['packages/dev-stack/src', '@tideport/service-kit/config'],
  ['packages/all-in-one/src', '@tideport/file-lifecycle/state'],
  ['packages/testing/src', '@tideport/file-lifecycle/state'],
  ['packages/set-up/src', '@tideport/service-kit/config'],
  ['packages/versitygw/src', '@tideport/set-up/prepare-bucket'],
  ['packages/walrus-devnet/src', '@tideport/s3-client/s3-client'],
  ['packages/digests/src', '@tideport/contracts/endpoint/errors'],
  ['packages/http-client/src', '@tideport/contracts/endpoint/errors'],
  ['packages/s3-client/src', '@tideport/service-kit/config'],
  ['packages/s3-door/src', '@tideport/service-kit/config'],
  ['packages/hot-tier/src', '@tideport/file-lifecycle/state/tables'],
  ['packages/file-lifecycle/src', '@tideport/s3-client/s3-client'],
  ['packages/operator/src', '@tideport/files/app'],
  ['services/gateway/src', '@tideport/file-lifecycle/state'],
  ['services/auth/src', '@tideport/file-lifecycle/state'],
  ['services/auth/src', '@tideport/s3-door/errors'],
  ['services/webhooks/src', '@tideport/file-lifecycle/state'],
  ['services/gateway/src', '@tideport/auth/app'],
  ['services/files/src', '@tideport/sync/sync-file'],
  ['services/sync/src', '@tideport/eviction/evict-file'],
  ['services/files/test/unit', '@tideport/webhooks/app'],
  ['services/serve/src', '@tideport/file-lifecycle/state'],
  ['services/serve/src', '@tideport/files/src/app.ts'],
  ['apps/demo/src', '@tideport/service-kit/config'],
  ['apps/demo/src', '@tideport/contracts/endpoint/errors'],
  ['apps/console/src/api', '@tideport/contracts/public/api'],
  ['apps/console/src', '@tideport/sdk/node'],
  ['e2e', '@tideport/contracts/public/api'],
  ['tools/check-migrations', '@tideport/contracts/endpoint/errors'],
  ['tools/generate-docs', '@tideport/files/app'],
  ['deploy/image', '@tideport/contracts/endpoint/errors'],
]

describe('import boundaries', () => {
  it('apply between folders, also to types, and to imports by path or name', async () => {
    const type = "import type { Thing } from '@tideport/file-lifecycle/state/state'\n\nexport const thing: Thing = 1\n"
    const crossing = forbidden.map(([folder, name], index) => [`${folder}/forbidden-${index}.ts`, importing(name)])
    crossing.push(['services/auth/src/forbidden-type.ts', type])
    crossing.push(['services/auth/src/forbidden-path.ts', importing('../../files/src/b.ts')])
    const staying = ['services/files/src/b.ts', 'export const thing = () => {}\n']
    const { passed, output } = await lint(Object.fromEntries([...crossing, staying]))
    expect(passed).toBe(false)
    const errors = output.split('\n').filter((line) => line.startsWith('::error'))
    expect(errors.filter((line) => !line.includes('Import boundary: '))).toEqual([])
    expect(errors.map((line) => /file=([^,]+)/.exec(line)?.[1]).toSorted()).toEqual(
      crossing.map(([path]) => path).toSorted(),
    )
  })

  it('reject imports that package.json does not name, also in tests', async () => {
    const files = {
      'services/auth/src/main.ts': "import '@tideport/testing/wait-for'\nimport 'koa'\n",
      'services/sync/src/main.ts': "import 'fastify-plugin'\n",
    }
    const { passed, output } = await check(files, 'knip', '--strict', '--dependencies', '--no-config-hints')
    expect(passed).toBe(false)
    const unlisted = output.slice(output.indexOf('Unlisted dependencies'))
    for (const name of ['@tideport/testing', 'koa', 'fastify-plugin']) expect(unlisted).toContain(name)
  })
})

describe('module rules', () => {
  it('reject cycles, barrels, re-exports, and the environment outside main.ts', async () => {
    const home = 'export const home = process.env.HOME\n'
    const files = {
      'services/auth/src/a.ts': "import { b } from './b.ts'\n\nexport const a = () => b()\n",
      'services/auth/src/b.ts': "import { a } from './a.ts'\n\nexport const b = () => a()\n",
      'services/auth/src/c.ts': "export { b } from './b.ts'\nexport * from './b.ts'\n",
      'services/auth/src/d.ts': home,
      'services/auth/src/main.ts': home,
    }
    const { output } = await lint(files)
    for (const rule of ['noImportCycles', 'noBarrelFile', 'noReExportAll']) expect(output).toContain(rule)
    const ofEnvironment = output.split('\n').filter((line) => line.includes('noProcessEnv'))
    expect(ofEnvironment.map((line) => /file=([^,]+)/.exec(line)?.[1])).toEqual(['services/auth/src/d.ts'])
  })

  it('reject dead files and dead exports', async () => {
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
