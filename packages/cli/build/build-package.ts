import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { commands } from '../src/commands/all.ts'
import { manPage } from '../src/grammar/man-page.ts'

const ours = ['private', 'scripts', 'dependencies', 'devDependencies', 'bin']
const root = join(import.meta.dirname, '..')
const NOTICES = 'THIRD-PARTY-LICENSES'

export async function buildPackage(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  // Keyrings are native modules, loaded on use.
  const external = ['@napi-rs/keyring']
  // Transforms `await using` and similar syntax, which the oldest supported Node lacks.
  const transform = { target: 'node22' }
  const bundle = await rolldown({ input: join(root, 'src/main.ts'), platform: 'node', external, transform })
  // The first file runs in any Node and loads the second, which is the complete program, only in a supported Node.
  const entryFileNames = 'tideport.mjs'
  // The cryptography that the SDK loads on demand is a separate file.
  const isFirst = (id: string) => /[\\/]src[\\/](?:main|node-version)\.ts$/.test(id)
  const groups = [{ name: 'cryptography', test: /[\\/]@noble[\\/]/ }, { name: 'program', test: (id: string) => !isFirst(id) }] // biome-ignore format: one list
  const names = { entryFileNames, chunkFileNames: '[name].mjs', codeSplitting: { groups } }
  const { output } = await bundle.write({ dir: directory, ...names, format: 'esm', minify: true })
  await bundle.close()
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const published = {
    ...Object.fromEntries(Object.entries(manifest).filter(([name]) => !ours.includes(name))),
    bin: { tideport: './tideport.mjs' },
    man: './tideport.1',
    files: [...output.map(({ fileName }) => fileName), 'tideport.1', NOTICES],
  }
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  await writeFile(join(directory, 'tideport.1'), manPage(commands, manifest.version))
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  await writeFile(join(directory, NOTICES), await licensesOf(modules))
  for (const [from, to] of [
    ['README.md', 'README.md'],
    ['../../LICENSE', 'LICENSE'],
  ] as const)
    await cp(join(root, from), join(directory, to))
}

async function licensesOf(modules: readonly string[]): Promise<string> {
  const found = modules.map((path) => /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path))
  const packages = new Map(found.flatMap((match) => (match?.[1] ? [[match[1], match[0]] as const] : [])))
  const texts = [...packages].toSorted().map(async ([name, folder]) => {
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
    if (!file) throw new Error(`${name} has no license file, so the package cannot include its license`)
    return `${name}\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`
  })
  return (await Promise.all(texts)).join('\n\n')
}
