import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { nodeEnvironment } from '../node-environment.ts'

const checkout = fileURLToPath(new URL('../../../../', import.meta.url))

/** Outside `node_modules`, where Node does not run TypeScript: bundles have the names of their sources. */
const bundles = join(checkout, 'dist/test-programs')
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Bundles the programs of the services and of the operator. Returns the directory, which has the structure of the
 * checkout. A bundle needs half of the processor time until it is ready, and a run starts hundreds of programs. The directory is
 * named after its content, so that Node's compile cache applies to the next run.
 */
export async function bundlePrograms(): Promise<string> {
  await removeUnused()
  const draft = join(bundles, `draft-${process.pid}`)
  const directory = join(bundles, await bundleTo(draft))
  if (existsSync(directory)) {
    await rm(draft, { recursive: true })
    await utimes(directory, new Date(), new Date())
    return directory
  }
  await rename(draft, directory)
  await Promise.all(globSync(join(directory, 'services/*/src/main.ts')).map(fillCompileCache))
  return directory
}

/** Returns a hash of the bundles. */
async function bundleTo(directory: string): Promise<string> {
  const programs = globSync('{services/*,packages/operator}/src/*.ts', { cwd: checkout }).filter(isProgram)
  const bundle = await rolldown({
    input: Object.fromEntries(programs.map((path) => [path.replace(/\.ts$/, ''), join(checkout, path)])),
    platform: 'node',
    treeshake: false,
    plugins: [keepOwnUrls],
    onLog: () => {},
  })
  const { output } = await bundle.write({
    dir: directory,
    entryFileNames: '[name].ts',
    chunkFileNames: '[name]-[hash].js',
  })
  await bundle.close()
  const hash = createHash('sha256')
  for (const file of output) hash.update(`${file.fileName}\0${file.type === 'chunk' ? file.code : file.source}\0`)
  return hash.digest('hex').slice(0, 16)
}

/** Only programs export nothing. */
const isProgram = (path: string) => !/^export /m.test(readFileSync(join(checkout, path), 'utf8'))

/** Files next to a module, such as migrations, are not part of a bundle. */
const keepOwnUrls = {
  name: 'keep-own-urls',
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (code: string, path: string) =>
      code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
  },
}

/** Runs a program until it exits because it has no settings. Killed programs would not store their compiled code. */
const fillCompileCache = (program: string) =>
  new Promise<void>((resolve) => {
    execFile(process.execPath, [program], { env: nodeEnvironment() }, () => resolve())
  })

/** Deletes bundles that no run has used for a day. */
async function removeUnused(): Promise<void> {
  for (const name of await readdir(bundles).catch(() => [])) {
    const path = join(bundles, name)
    if ((await stat(path)).mtimeMs < Date.now() - DAY_MS) await rm(path, { recursive: true, force: true })
  }
}
