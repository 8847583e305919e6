// notes.ts TAG: prints the CHANGELOG.md section of a release. Exits 1 with a message for each file that does not have its
// version yet.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readVersions, releaseNotes, versionFaults } from './version.ts'

const root = join(import.meta.dirname, '../..')
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const tag = process.argv[2] ?? ''
const faults = versionFaults(tag, readVersions(root), changelog)
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exit(1)
}
process.stdout.write(`${releaseNotes(tag, changelog)}\n`)
