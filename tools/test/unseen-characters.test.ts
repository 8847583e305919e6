import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
/** The three workspaces have no common module that they may import. */
const places = [
  'apps/console/src/text/visible.ts',
  'services/files/src/link-pages/html.ts',
  'packages/cli/src/terminal/visible.ts',
]

/** The patterns of a file, without control characters, which matter only in terminals. */
async function patternsOf(path: string): Promise<string[]> {
  const text = await readFile(join(root, path), 'utf8')
  return [...text.matchAll(/String\.raw`([^`]+)`/g)].map(([, pattern = '']) => pattern.replace(String.raw`\p{Cc}`, ''))
}

it('the console, link pages, and the CLI mark the same characters', async () => {
  const [first, ...others] = await Promise.all(places.map(patternsOf))
  expect(first?.length).toBe(4)
  for (const patterns of others) expect(patterns).toEqual(first)
})
