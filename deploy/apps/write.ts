// write.ts TAG IMAGE DIRECTORY: writes the app definitions of a release to a directory. IMAGE has a tag and a digest. Needs
// GITHUB_SERVER_URL and GITHUB_REPOSITORY.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { definitions } from './definitions.ts'

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env
const [tag = '', image = '', directory = ''] = process.argv.slice(2)
if (!/^[a-z0-9.:/-]+:[\w.-]+@sha256:[0-9a-f]{64}$/.test(image)) {
  process.stderr.write(`The image "${image}" has no tag and digest. Use NAME:TAG@sha256:DIGEST.\n`)
  process.exit(1)
}
mkdirSync(directory, { recursive: true })
const release = { version: tag.slice(1), image, repository: `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` }
for (const [name, text] of Object.entries(definitions(release))) writeFileSync(join(directory, name), text)
