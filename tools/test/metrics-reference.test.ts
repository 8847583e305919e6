import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const listed = new Set(
  [...read('docs/reference/metrics-and-alerts.md').matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name),
)

it.each([
  'deploy/prometheus/rules.yaml',
  ...globSync('deploy/helm/tideport/files/dashboards/*.json', { cwd: root }),
  'docs/operate/monitor.md',
  'docs/operate/alerts.md',
  'docs/operate/troubleshoot.md',
])('lists every metric that %s uses', (file) => {
  const names = read(file).match(/\btideport_\w+(?=[{ `)[\\=]|$)/gm) ?? []
  const used = new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))
  expect([...used].filter((name) => !listed.has(name))).toEqual([])
})
