// prepare.ts VERSION: writes the version into every file that states it, and dates the changelog's section.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { datedChangelog, readVersions, versionFaults, withVersion } from './version.ts'

const root = join(import.meta.dirname, '../..')
const version = process.argv[2] ?? ''
const path = join(root, 'CHANGELOG.md')
const changelog = datedChangelog(readFileSync(path, 'utf8'), version, new Date().toISOString().slice(0, 10))
const files = readVersions(root).map((file) => ({ ...file, text: withVersion(file, version) }))
const faults = versionFaults(`v${version}`, files, changelog)
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exit(1)
}
for (const file of files) writeFileSync(join(root, file.path), file.text)
writeFileSync(path, changelog)
