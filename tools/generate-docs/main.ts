import { readFile, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { buildOpenApi } from '@tideport/contracts/openapi'
import { configurationPage } from './configuration-page.ts'
import { messagesPage } from './messages-page.ts'

/** Writes the generated pages into docs/ (or `--docs DIR`); with `--check` writes nothing and fails on a difference. */
const options = {
  check: { type: 'boolean' },
  docs: { type: 'string', default: `${import.meta.dirname}/../../docs` },
} as const
const { check, docs } = parseArgs({ options }).values

const pages = {
  'openapi.json': `${JSON.stringify(buildOpenApi(), null, 2)}\n`,
  'messages.md': messagesPage(),
  'configuration.md': await configurationPage(new URL('../../services/', import.meta.url)),
}

for (const [name, text] of Object.entries(pages)) {
  const file = new URL(name, pathToFileURL(`${docs}/`))
  if (!check) {
    await writeFile(file, text)
  } else if (text !== (await readFile(file, 'utf8').catch(() => ''))) {
    console.error(`docs/${name} differs from the code it is generated from: run \`npm run generate\``)
    process.exitCode = 1
  }
}
