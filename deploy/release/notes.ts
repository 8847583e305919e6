// notes.ts TAG: prints what CHANGELOG.md says of a release. Exits 1 with a sentence for each of the things that do not bear
// its version yet: package.json, the chart, the image, the changelog.
import { readFileSync } from 'node:fs'
import { releaseNotes, versionFaults } from './version.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const texts = {
  manifest: read('package.json'),
  chart: read('deploy/helm/tideport/Chart.yaml'),
  dockerfile: read('Dockerfile'),
  changelog: read('CHANGELOG.md'),
}
const tag = process.argv[2] ?? ''
const faults = versionFaults(tag, texts)
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exit(1)
}
process.stdout.write(`${releaseNotes(tag, texts.changelog)}\n`)
