import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildOpenApi } from '@tideport/contracts/openapi/build-openapi'
import { configurationPage } from './configuration-page.ts'
import { dashboardFiles } from './dashboards/dashboard-files.ts'
import { messagesPage } from './messages-page.ts'
import { rulesFile } from './rules-file.ts'

/**
 * Writes what is generated into the repository (or `--root DIR`); with `--check` writes nothing and fails on a
 * difference.
 */
const repository = new URL('../../', import.meta.url)
const options = {
  check: { type: 'boolean' },
  root: { type: 'string', default: join(import.meta.dirname, '../..') },
} as const
const { check, root } = parseArgs({ options }).values

const files: Record<string, string> = {
  'docs/openapi.json': `${JSON.stringify(buildOpenApi(), null, 2)}\n`,
  'docs/messages.md': messagesPage(),
  'docs/configuration.md': await configurationPage(
    new URL('services/', repository),
    new URL('packages/file-lifecycle/src/copies/network-settings.ts', repository),
  ),
  'deploy/prometheus/rules.yaml': await rulesFile(new URL('deploy/helm/tideport/files/', repository)),
  ...dashboardFiles('deploy/helm/tideport/files/dashboards'),
}

for (const [name, text] of Object.entries(files)) {
  const file = join(root, name)
  if (!check) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  } else if (text !== (await readFile(file, 'utf8').catch(() => ''))) {
    console.error(`${name} differs from the code it is generated from: run \`npm run generate\``)
    process.exitCode = 1
  }
}
