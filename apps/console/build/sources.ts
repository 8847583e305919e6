import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const checkout = join(import.meta.dirname, '../../..')

const patterns = ['apps/console/{index.html,package.json}', 'apps/console/{build,src}/**/*', 'packages/sdk/src/**/*']

/** A digest of everything that the console is built from. Another digest means that the build is stale. */
export function digestOfSources(): string {
  const digest = createHash('sha256')
  const entries = globSync([...patterns, 'package-lock.json'], { cwd: checkout, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  for (const file of files.sort()) digest.update(file.slice(checkout.length)).update('\0').update(readFileSync(file))
  return digest.digest('hex')
}
