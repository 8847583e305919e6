import { globSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { root } from './locked-packages.ts'

/** Built from these sources, as one file. */
const builtCli: readonly [source: string, built: string] = ['packages/cli/src/main.ts', 'packages/cli/tideport.mjs']
const read = '{src,migrations,docs-page}/**/*.*'
const unread = ['**/README.md']

/**
 * Writes JavaScript of a workspace below `directory`, at the place of its sources, because Node does not strip types
 * below node_modules. Files and lines stay the same. Imports of other workspaces become relative.
 */
export async function writeSources(workspace: string, directory: string): Promise<void> {
  const paths = globSync(read, { cwd: join(root, workspace), exclude: unread }).map((path) => join(workspace, path))
  await Promise.all(
    paths.map(async (path) => {
      const target = join(directory, path)
      await mkdir(dirname(target), { recursive: true })
      if (!path.endsWith('.ts')) return cp(join(root, path), target)
      const source = await readFile(join(root, path), 'utf8')
      return writeFile(target.replace(/\.ts$/, '.js'), javaScriptOf(source, path))
    }),
  )
  const { name, version } = JSON.parse(await readFile(join(root, workspace, 'package.json'), 'utf8'))
  await writeFile(join(directory, workspace, 'package.json'), JSON.stringify({ name, version, type: 'module' }))
}

/** Also renames files in strings, such as paths of programs and workers. */
export function javaScriptOf(source: string, path: string): string {
  return stripTypeScriptTypes(source)
    .replaceAll(/(?<=['"`])@tideport\/[^'"`]+(?=['"`])/g, (name) => relativeTo(path, name))
    .replaceAll(/\.ts(?=['"`])/g, '.js')
}

function relativeTo(path: string, name: string): string {
  const found = relative(root, createRequire(join(root, path)).resolve(name))
  const target = found === builtCli[0] ? builtCli[1] : found
  const specifier = relative(dirname(path), target)
  return specifier.startsWith('.') ? specifier : `./${specifier}`
}
