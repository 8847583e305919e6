import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

interface Entry {
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

const lockFile = join(import.meta.dirname, '../../package-lock.json')

/**
 * Writes the components of a workspace, also those in its bundle, as CycloneDX. `npm sbom --workspace` would list the
 * dependencies of packages/testing, because npm never treats a linked workspace as a development dependency.
 */
export async function writeSbom(folder: string, path: string): Promise<void> {
  const { packages, ...lock } = JSON.parse(await readFile(lockFile, 'utf8')) as { packages: Record<string, Entry> }
  const own = withoutDevelopment(packages[folder] as Entry)
  const taken: Record<string, Entry> = { '': own }
  function take({ dependencies, optionalDependencies }: Entry): void {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = `node_modules/${name}`
      const entry = packages[place] as Entry
      if (place in taken) continue
      taken[place] = withoutDevelopment(entry.link ? (packages[entry.resolved as string] as Entry) : entry)
      take(taken[place])
    }
  }
  take(own)
  const work = await mkdtemp(join(tmpdir(), 'tideport-sbom-'))
  try {
    const project = join(work, folder.replace('packages/', 'tideport-'))
    await mkdir(project)
    await writeFile(join(project, 'package.json'), JSON.stringify(own))
    await writeFile(join(project, 'package-lock.json'), JSON.stringify({ ...lock, packages: taken }))
    const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
    const { stdout } = await promisify(execFile)('npm', args, { cwd: project, maxBuffer: 2 ** 26 })
    await writeFile(path, stdout)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const withoutDevelopment = ({ devDependencies: _, ...entry }: Entry): Entry => entry
