import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { publint } from 'publint'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildPackage } from '../../build/build-package.ts'

const run = promisify(execFile)
const repository = join(import.meta.dirname, '../../../..')

/** Bytes of all exports of an entry, minified and compressed, without code that is loaded on demand. */
const budgets: Record<string, number> = { '.': 16_384, './webhooks': 2_000, './crypto': 18_000 }
/** Bytes of the cryptography that is loaded on demand. */
const LATER_BYTES = 12_000
const dependencies = ['@noble/ciphers', '@noble/hashes', '@scure/base']

/** A separate project that installed the published package. */
let directory: Awaited<ReturnType<typeof createTemporaryDirectory>>
let published: string
beforeAll(async () => {
  directory = await createTemporaryDirectory('sdk-package')
  published = join(directory.path, 'node_modules/@tideport/sdk')
  await buildPackage(published)
  await writeFile(join(directory.path, 'package.json'), '{ "type": "module" }')
  for (const name of ['@noble', '@scure'])
    await symlink(join(repository, 'node_modules', name), join(directory.path, 'node_modules', name))
})
afterAll(() => directory?.[Symbol.asyncDispose]())

/** Code that a page loads initially and later. */
async function bundle(source: string): Promise<{ code: string; later: string }> {
  const input = join(directory.path, `entry-${crypto.randomUUID()}.js`)
  await writeFile(input, source)
  const built = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
  const { output } = await built.generate({ format: 'esm', minify: true })
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])))
  const first = new Set([output[0].fileName])
  for (const name of first) for (const needed of chunks.get(name)?.imports ?? []) first.add(needed)
  const textOf = (isFirst: boolean) =>
    [...chunks].flatMap(([name, { code }]) => (first.has(name) === isFirst ? [code] : [])).join('')
  return { code: textOf(true), later: textOf(false) }
}

it.for(Object.entries(budgets))('%s stays within its size, and runs without Node', async ([entry, budget]) => {
  const { code, later } = await bundle(`export * from '@tideport/sdk${entry.slice(1)}'`)
  expect(gzipSync(code).length).toBeLessThanOrEqual(budget)
  expect(gzipSync(later).length).toBeLessThanOrEqual(LATER_BYTES)
  expect(code + later).not.toMatch(/\bBuffer\b|(?<!\.)\bprocess\b(?!\()|\brequire\b/)
  // Only parts of the bundle are imported.
  expect(code + later).not.toMatch(/\b(?:from|import)\s*\(?\s*['"`](?!\.\/)/)
})

it('omits unused functions', async () => {
  const { code } = await bundle(
    "import { createClient, readAccount } from '@tideport/sdk'\nconsole.log(createClient, readAccount)",
  )
  expect(gzipSync(code).length).toBeLessThanOrEqual(4000)
  expect(code).not.toContain('/content/')
})

it('is published as its package.json states: entries with types, dependencies, and no other files', async () => {
  const { messages } = await publint({ pkgDir: published, strict: true, pack: false })
  expect(messages).toEqual([])
  const manifest = JSON.parse(await readFile(join(published, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ name: '@tideport/sdk', sideEffects: false, engines: { node: '>=22' } })
  expect(Object.keys(manifest).filter((name) => /dependencies|scripts|private/i.test(name))).toEqual(['dependencies'])
  expect(Object.keys(manifest.dependencies)).toEqual(dependencies)
  const texts = globSync('**/*.{js,d.ts}', { cwd: published }).map((path) => join(published, path))
  for (const path of texts)
    expect(await readFile(path, 'utf8'), path).not.toMatch(/from ['"](?:zod|@tideport)|\.ts['"]/)
})

it('compiles and runs in a separate project', async () => {
  const types = join(directory.path, 'node_modules/@types')
  await mkdir(types, { recursive: true })
  await symlink(join(repository, 'node_modules/@types/node'), join(types, 'node'))
  await symlink(join(repository, 'node_modules/undici-types'), join(directory.path, 'node_modules/undici-types')).catch(
    () => {},
  )
  await writeFile(
    join(directory.path, 'program.ts'),
    `import { createClient, type FileRecord, listFiles, NotFoundError, readFile, waitFor } from '@tideport/sdk'
     import { openFile } from '@tideport/sdk/node'
     const client = createClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'tdp_x', attempts: 1 })
     async function use(): Promise<FileRecord['status']> {
       for await (const file of listFiles(client, { status: 'hot' })) if (file.sizeBytes > 0) return file.status
       // @ts-expect-error a file's id is needed
       await readFile(client, {})
       return (await waitFor(client, 'id', 'cold')).status
     }
     console.log(typeof use, typeof openFile, new NotFoundError({ message: '', status: 404, code: 'not_found', details: null, requestId: null, retryAfterSeconds: null }).name)
     console.log(await readFile(client, { fileId: 'x' }).catch((error: Error) => error.name))`,
  )
  await writeFile(
    join(directory.path, 'page.ts'),
    `import { createClient, upload } from '@tideport/sdk'
     const input = document.querySelector('input') as HTMLInputElement
     const client = createClient({ baseUrl: location.origin })
     export const done = upload(client, input.files?.[0] as File, { vaultId: 'v', onProgress: ({ sentBytes }) => console.log(sentBytes) })`,
  )
  const compile = (program: string, ...more: string[]) => {
    const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--noEmit', 'false', ...more, program]
    return run(join(repository, 'node_modules/.bin/tsc'), options, { cwd: directory.path })
  }
  await compile('program.ts', '--lib', 'es2023', '--types', 'node')
  await compile('page.ts', '--lib', 'es2023,dom,dom.iterable', '--types', '')
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: directory.path })
  expect(stdout.trim().split('\n')).toEqual(['function function NotFoundError', 'NetworkError'])
})
