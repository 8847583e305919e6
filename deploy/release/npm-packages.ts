import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildPackage as buildCli } from '../../packages/cli/build/build-package.ts'
import { buildPackage as buildSdk } from '../../packages/sdk/build/build-package.ts'
import { withAbsoluteLinks } from './links.ts'
import { writeSbom } from './sbom.ts'

/** The npm packages of a release, by the folder of their sources. */
const packages = { 'packages/sdk': buildSdk, 'packages/cli': buildCli }

/**
 * Writes each package as npm publishes it, with the list of its components (SBOM), to `directory`. `repository` is the
 * URL that the packages name. npm requires it for their provenance.
 */
export async function packPackages(directory: string, repository?: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'tideport-pack-'))
  try {
    await rm(directory, { recursive: true, force: true })
    await mkdir(directory, { recursive: true })
    for (const [folder, build] of Object.entries(packages)) {
      const built = join(work, folder)
      await build(built)
      const name = await describePackage(built, folder, repository)
      await writeSbom(folder, join(directory, `${name}.cdx.json`))
    }
    const folders = Object.keys(packages).map((folder) => join(work, folder))
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory]
    await promisify(execFile)('npm', [...pack, ...folders])
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Completes the package with what depends on the release, and returns the name of its tarball without `.tgz`. */
async function describePackage(built: string, folder: string, repository: string | undefined): Promise<string> {
  const at = (name: string) => join(built, name)
  const manifest = JSON.parse(await readFile(at('package.json'), 'utf8')) as { name: string; version: string }
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
  return `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}`
}
