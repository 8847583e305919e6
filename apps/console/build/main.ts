import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { digestOfSources } from './sources.ts'

// npm run build -w @tideport/console [-- --if-stale] [-- --out DIR]
const { values } = parseArgs({ options: { 'if-stale': { type: 'boolean', default: false }, out: { type: 'string' } } })
const outDir = values.out ?? join(import.meta.dirname, '../dist')
const noteFile = join(outDir, 'sources.sha256')
const digest = digestOfSources()
const built = await readFile(noteFile, 'utf8').catch(() => null)
if (!values['if-stale'] || built !== digest) {
  // Loaded late: the bundler takes longer to load than everything above.
  const { buildConsole } = await import('./build-console.ts').catch(withoutBundler)
  await buildConsole(outDir)
  await writeFile(noteFile, digest)
}

function withoutBundler(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  process.stderr.write('What builds it is not installed: npm ci brings it, npm ci --omit=dev leaves it out\n')
  process.exit(1)
}
