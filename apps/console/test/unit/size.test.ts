import { readFileSync } from 'node:fs'
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

it('loads the page, its imports, and the vault list in less than 100 kB compressed and few files', async () => {
  const index = await readFile(join(dir, 'index.html'), 'utf8')
  const named = [...index.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path]) => path as string)
  // Behind an HTTP/1.1 proxy, browsers load at most six files concurrently.
  expect(named.map((path) => path.replace(/-[0-9a-f]+\./, '.')).sort()).toEqual([
    'assets/icon.svg',
    'assets/index.js',
    'assets/parts.js',
    'assets/style.css',
  ])
  const sizes = await Promise.all(['index.html', ...named].map(sizeOf))
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(100_000)
})

it('has no inline code and refers to no other origin', async () => {
  const index = await readFile(join(dir, 'index.html'), 'utf8')
  expect(index).not.toMatch(/<style|style=|<script(?![^>]* src=)| on\w+=|https?:/)
})

it('contains no path of the build machine, even with NODE_ENV set to test', async () => {
  const repository = import.meta.dirname.split('/apps/')[0] as string
  const programs = (await readdir(join(dir, 'assets'))).filter((name) => name.endsWith('.js'))
  const telling = programs.filter((name) => readFileSync(join(dir, 'assets', name), 'utf8').includes(repository))
  expect(programs.length).toBeGreaterThan(10)
  expect(telling).toEqual([])
})
