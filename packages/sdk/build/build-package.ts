import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ours = ['private', 'scripts', 'devDependencies']
const root = join(import.meta.dirname, '..')

/** Builds the published package: ES modules, types, and a `package.json`. */
export async function buildPackage(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  const compiler = join(root, '../../node_modules/.bin/tsc')
  await promisify(execFile)(compiler, ['-p', join(root, 'tsconfig.build.json'), '--outDir', directory])
  const { exports: entries, imports, ...manifest } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const published = {
    ...Object.fromEntries(Object.entries(manifest).filter(([name]) => !ours.includes(name))),
    exports: Object.fromEntries(Object.entries<string>(entries).map(([name, source]) => [name, built(source)])),
    imports: JSON.parse(JSON.stringify(imports), (condition, source) =>
      typeof source === 'string' ? built(source)[condition === 'types' ? 'types' : 'default'] : source,
    ),
  }
  for (const path of globSync('**/*.d.ts', { cwd: directory })) await nameOutputs(join(directory, path))
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  for (const [from, to] of [
    ['README.md', 'README.md'],
    ['../../LICENSE', 'LICENSE'],
  ] as const)
    await cp(join(root, from), join(directory, to))
}

function built(source: string) {
  const path = source.replace('./src/', './').replace(/\.ts$/, '')
  return { types: `${path}.d.ts`, default: `${path}.js` }
}

/** The compiler leaves source file names in the imports of types. */
async function nameOutputs(path: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replaceAll(/((?:from |import\()['"]\.{1,2}\/[^'"]+)\.ts(?=['"])/g, '$1.js'))
}
