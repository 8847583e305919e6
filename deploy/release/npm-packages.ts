import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { buildPackage as buildSystem } from '../../packages/all-in-one/build/build-package.ts'
import { buildPackage as buildCli } from '../../packages/cli/build/build-package.ts'
import { buildPackage as buildSdk } from '../../packages/sdk/build/build-package.ts'
import { withAbsoluteLinks } from './links.ts'
import { writeSbom } from './sbom.ts'

/** The npm packages of a release, by the folder of their sources. The last contains the built command line. */
const packages = { 'packages/sdk': buildSdk, 'packages/cli': buildCli, 'packages/all-in-one': buildSystem }

export type PackageFolder = keyof typeof packages

/**
 * Writes each package as npm publishes it, with the list of its components (SBOM), to `directory`. `repository` is the
 * URL that the packages name. npm requires it for their provenance. `without` is the folder of a package to leave out.
 */
export async function packPackages(directory: string, repository?: string, without?: PackageFolder): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'tideport-pack-'))
  try {
    await rm(directory, { recursive: true, force: true })
    await mkdir(directory, { recursive: true })
    for (const [folder, build] of Object.entries(packages).filter(([name]) => name !== without)) {
      const built = join(work, folder)
      await build(built, join(work, 'packages/cli'))
      const { name, version } = await describePackage(built, folder, repository)
      // Not the name of npm, which for `tideport` is also the name of the chart's archive.
      const file = join(directory, `tideport-${basename(folder)}-${version}`)
      await writeSbom(folder, name, `${file}.cdx.json`)
      const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', work, built]
      const { stdout } = await promisify(execFile)('npm', pack)
      await cp(join(work, stdout.trim()), `${file}.tgz`)
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

interface Manifest {
  name: string
  version: string
}

/** Completes the package with what depends on the release. */
async function describePackage(built: string, folder: string, repository: string | undefined): Promise<Manifest> {
  const at = (name: string) => join(built, name)
  const manifest = JSON.parse(await readFile(at('package.json'), 'utf8')) as Manifest
  const origin = repository && {
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
  }
  await writeFile(at('package.json'), `${JSON.stringify({ ...manifest, ...origin }, null, 2)}\n`)
  // Readers of the package have no sources.
  const [page = ''] = (await readFile(at('README.md'), 'utf8')).split('\n## Development\n')
  const files = repository && `${repository}/blob/v${manifest.version}`
  await writeFile(at('README.md'), withAbsoluteLinks(page, folder, files))
  return manifest
}
