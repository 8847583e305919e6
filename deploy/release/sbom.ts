import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type LockedPackage, lockedPackages, root } from '../../packages/all-in-one/build/locked-packages.ts'

/**
 * Writes the components of a workspace, also those in its bundle, as CycloneDX. `npm sbom --workspace` would list the
 * dependencies of packages/testing, because npm never treats a linked workspace as a development dependency.
 */
export async function writeSbom(folder: string, name: string, path: string): Promise<void> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const locked = lockedPackages(folder)
  const own = { ...withoutDevelopment(locked.get(folder) as LockedPackage), name }
  const packages: Record<string, LockedPackage> = { '': own }
  for (const [place, entry] of locked) {
    if (!place.includes('node_modules/')) continue
    packages[place] = withoutDevelopment(entry.link ? (locked.get(entry.resolved as string) as LockedPackage) : entry)
  }
  const work = await mkdtemp(join(tmpdir(), 'tideport-sbom-'))
  try {
    const project = join(work, name.replace('@', '').replace('/', '-'))
    await mkdir(project)
    await writeFile(join(project, 'package.json'), JSON.stringify(own))
    await writeFile(join(project, 'package-lock.json'), JSON.stringify({ ...lock, packages }))
    const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
    const { stdout } = await promisify(execFile)('npm', args, { cwd: project, maxBuffer: 2 ** 26 })
    await writeFile(path, stdout)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const withoutDevelopment = ({ devDependencies: _, ...entry }: LockedPackage): LockedPackage => entry
