import { readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildOpenApi } from '@tideport/contracts/openapi/build-openapi'
import { configurationPage, readersIn } from './configuration-page.ts'
import { coveragePage } from './coverage-page.ts'
import { dashboardFiles } from './dashboards/dashboard-files.ts'
import { errorsPage } from './errors-page.ts'
import { messagesPage } from './messages-page.ts'
import { metricDefinitions } from './metrics/metric-definitions.ts'
import { metricsAndAlertsPage } from './metrics/metrics-and-alerts-page.ts'
import { rulesFile } from './rules-file.ts'
import { s3SuitesPage } from './s3-suites-page.ts'
import { answerShapes } from './sdk/answer-shapes.ts'
import { referencePage } from './sdk/reference-page.ts'
import { sdkFiles } from './sdk/sdk-files.ts'
import { chartSchema } from './values-schema/chart-schema.ts'

/** Writes generated files into the repository (or `--root DIR`); with `--check` fails on a difference instead. */
const repository = new URL('../../', import.meta.url)
const options = {
  check: { type: 'boolean' },
  root: { type: 'string', default: join(import.meta.dirname, '../..') },
} as const
const { check, root } = parseArgs({ options }).values

const chart = new URL('deploy/helm/tideport/', repository)
const rules = await rulesFile(new URL('files/', chart))
const metrics = metricDefinitions(repository, {
  step: ['store', 'prove', 'rehydrate', 'evict'],
  name: ['sync'],
})
const readers = await readersIn(new URL('services/', repository))
const sdk = sdkFiles('packages/sdk/src')
/** The new text of a generated file, or the current text of any other file. */
const readSdk = (path: string) =>
  sdk[`packages/sdk/src/${path}`] ?? readFileSync(new URL(`packages/sdk/src/${path}`, repository), 'utf8')
const files: Record<string, string> = {
  'docs/openapi.json': `${JSON.stringify(buildOpenApi(), null, 2)}\n`,
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/events.md': messagesPage(),
  'docs/reference/settings.md': await configurationPage(
    readers,
    new URL('packages/file-lifecycle/src/copies/network-shape.ts', repository),
  ),
  'docs/reference/metrics-and-alerts.md': metricsAndAlertsPage(rules, metrics),
  'deploy/prometheus/rules.yaml': rules,
  ...inFolder('deploy/helm/tideport', await chartSchema(readers, chart)),
  ...dashboardFiles('deploy/helm/tideport/files/dashboards'),
  ...sdk,
  'packages/cli/src/generated/answers.ts': answerShapes(),
  'e2e/COVERAGE.md': coveragePage(readFileSync(new URL('e2e/COVERAGE.md', repository), 'utf8')),
  'docs/reference/sdk.md': referencePage(readSdk),
  'docs/reference/s3-suites.md': s3SuitesPage(),
}

function inFolder(folder: string, named: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(named).map(([name, text]) => [`${folder}/${name}`, text]))
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
