import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyInstalled } from './copy-installed.ts'
import { type LockedPackage, lockedPackages, root } from './locked-packages.ts'
import { writeSources } from './write-sources.ts'

const folder = 'packages/all-in-one'
const cli = '@tideport/cli'

/**
 * Builds the published package: the repository as JavaScript, with the packages of other projects, the built console, and
 * the built command line. npm installs only programs that differ by system.
 */
export async function buildPackage(directory: string, builtCli: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  const packages = lockedPackages(folder, cli)
  const workspaces = [...packages.keys()].filter((place) => !place.includes('node_modules'))
  await Promise.all(workspaces.map((workspace) => writeSources(workspace, directory)))
  await copyInstalled(packages, directory)
  await promisify(execFile)(process.execPath, [join(root, 'apps/console/build/main.ts'), '--out', join(directory, 'apps/console/dist')]) // biome-ignore format: one command
  await cp(builtCli, join(directory, 'packages/cli'), { recursive: true })
  for (const tool of ['nats-server', 'versitygw']) {
    await cp(join(root, 'tools', tool), join(directory, 'tools', tool), { recursive: true })
  }
  await writeFile(
    join(directory, 'package.json'),
    `${JSON.stringify(await manifestOf(packages, workspaces), null, 2)}\n`,
  )
  await cp(join(root, folder, 'README.md'), join(directory, 'README.md'))
  await cp(join(root, 'LICENSE'), join(directory, 'LICENSE'))
}

async function manifestOf(packages: Map<string, LockedPackage>, workspaces: readonly string[]) {
  const { description, license, type, version } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))
  const { optionalDependencies: ofCli } = JSON.parse(await readFile(join(root, 'packages/cli/package.json'), 'utf8'))
  const direct = workspaces.flatMap((workspace) => {
    const { dependencies, optionalDependencies } = packages.get(workspace) as LockedPackage
    return Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !name.startsWith('@tideport/'))
  })
  const named = [...new Set(direct)].toSorted().map((name) => ({ name, ...packages.get(`node_modules/${name}`) }))
  const versions = (wanted: typeof named) => Object.fromEntries(wanted.map(({ name, version }) => [name, version]))
  const bundled = versions(named.filter(({ os }) => !os))
  return {
    name: 'tideport',
    version,
    description,
    license,
    type,
    // An older Node downloads a newer one.
    engines: { node: '>=18' },
    bin: { tideport: './packages/all-in-one/src/command/main.js' },
    man: './packages/cli/tideport.1',
    dependencies: bundled,
    optionalDependencies: { ...versions(named.filter(({ os }) => os)), ...ofCli },
    bundleDependencies: Object.keys(bundled),
  }
}
