// notes.ts TAG: prints the CHANGELOG.md section of a release. Exits 1 with a message for each file that does not have its
// version yet: package.json, the chart, the Dockerfile, the changelog.
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
