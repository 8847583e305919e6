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
  // Loaded only when needed, because the bundler is slow to load.
  const { buildConsole } = await import('./build-console.ts').catch(withoutBundler)
  await buildConsole(outDir)
  await writeFile(noteFile, digest)
}

function withoutBundler(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  process.stderr.write('The bundler is not installed. Run npm ci without --omit=dev.\n')
  process.exit(1)
}
