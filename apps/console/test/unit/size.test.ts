import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildConsole } from '../../build/build-console.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tideport-built-console-'))
  await buildConsole(dir)
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const sizeOf = async (path: string) => gzipSync(await readFile(join(dir, path)), { level: 9 }).length

it('takes less than 100 kB to load first, compressed: the page, what it names, and the list of vaults', async () => {
  const index = await readFile(join(dir, 'index.html'), 'utf8')
  const named = [...index.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path]) => path as string)
  const vaults = (await readdir(join(dir, 'assets'))).filter((name) => /^vaults-page-.*\.(js|css)$/.test(name))
  expect([named.length >= 3, vaults.length >= 1]).toEqual([true, true])
  const sizes = await Promise.all(['index.html', ...named, ...vaults.map((name) => `assets/${name}`)].map(sizeOf))
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(100_000)
})

it('has nothing inline, and names nothing elsewhere', async () => {
  const index = await readFile(join(dir, 'index.html'), 'utf8')
  expect(index).not.toMatch(/<style|style=|<script(?![^>]* src=)| on\w+=|https?:/)
})
