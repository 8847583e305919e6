// dry-run.ts DIRECTORY: writes the files that a release of this version attaches, and their digests, to a new directory.
// Publishes nothing. Needs helm. `npm run docs` builds the site of a release, and deploy/test/image.full.test.ts its images.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { constants, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import manifest from '../package.json' with { type: 'json' }
import { packPackages } from './npm-packages.ts'

const run = promisify(execFile)
const directory = process.argv[2] ?? ''
const server = 'https://github.com'
const repository = 'acme/tideport'
await mkdir(directory)
const work = await mkdtemp(join(tmpdir(), 'tideport-release-'))
try {
  await packPackages(join(work, 'release-packages'), `${server}/${repository}`)
  await mkdir(join(work, 'release-chart'))
  const chart = join(work, 'tideport')
  const env = { PATH: process.env.PATH, HOME: work, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, REGISTRY: 'ghcr.io' } // biome-ignore format: an environment
  await run(process.execPath, [join(import.meta.dirname, 'chart.ts'), `v${manifest.version}`, chart], { env })
  await run('helm', ['package', chart, '--destination', join(work, 'release-chart')], { env })
  // The workflow merges the files of its jobs into one folder, in which each name exists once.
  for (const job of ['release-packages', 'release-chart']) {
    for (const name of await readdir(join(work, job))) {
      await copyFile(join(work, job, name), join(directory, name), constants.COPYFILE_EXCL)
    }
  }
} finally {
  await rm(work, { recursive: true, force: true })
}
const digests = (await readdir(directory)).toSorted().map(async (name) => {
  const digest = createHash('sha256').update(await readFile(join(directory, name)))
  return `${digest.digest('hex')}  ${name}\n`
})
await writeFile(join(directory, 'SHA256SUMS'), (await Promise.all(digests)).join(''))
