// chart.ts TAG DIRECTORY: writes the chart of a release to a new directory. It runs the published image, links to the repository
// and its documents, and has the annotations of Artifact Hub. Needs GITHUB_SERVER_URL, GITHUB_REPOSITORY, and REGISTRY.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { annotatedChart, chartValues } from './artifact-hub.ts'
import { withAbsoluteLinks } from './links.ts'
import { releaseNotes } from './version.ts'

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY = '', REGISTRY } = process.env
const root = join(import.meta.dirname, '../..')
const [tag = '', target = ''] = process.argv.slice(2)
const repository = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`
const image = `${REGISTRY}/${GITHUB_REPOSITORY.toLowerCase()}`

cpSync(join(root, 'deploy/helm/tideport'), target, { recursive: true, errorOnExist: true, force: false })
const rewrite = (name: string, change: (text: string) => string) =>
  writeFileSync(join(target, name), change(readFileSync(join(target, name), 'utf8')))
const values = readFileSync(join(target, 'values.yaml'), 'utf8')
const notes = releaseNotes(tag, readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
rewrite('Chart.yaml', (chart) => annotatedChart(chart, { tag, repository, image, values, notes }))
rewrite('values.yaml', (text) => chartValues(text, image))
rewrite('README.md', (page) => withAbsoluteLinks(page, 'deploy/helm/tideport', `${repository}/blob/${tag}`))
