// announce.ts TAG FOLDER NOTES: adds to the documentation site the version that installations with RELEASE_SITE_URL read, and
// a page that leads to the URL of its release notes.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [tag = '', folder = '', notes = ''] = process.argv.slice(2)
const { href } = new URL(notes)
mkdirSync(join(folder, 'release-notes'))
writeFileSync(join(folder, 'release.json'), `${JSON.stringify({ version: tag.slice(1) })}\n`)
writeFileSync(
  join(folder, 'release-notes/index.html'),
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${href}">
<title>Release notes</title>
<a href="${href}">Release notes of Tideport ${tag.slice(1)}</a>
</html>
`,
)
