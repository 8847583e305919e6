import { execFile } from 'node:child_process'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const tool = join(import.meta.dirname, '../generate-docs/main.ts')
const generate = (...args: string[]) => promisify(execFile)(process.execPath, [tool, ...args])

const pages = [
  'docs/openapi.json',
  'docs/reference/errors.md',
  'docs/reference/events.md',
  'docs/reference/metrics-and-alerts.md',
  'docs/reference/settings.md',
  'docs/reference/sdk.md',
  'deploy/prometheus/rules.yaml',
  'deploy/helm/tideport/values.schema.json',
  'deploy/helm/tideport/files/dashboards/tideport-overview.json',
  'e2e/COVERAGE.md',
]

it('fails the check for every page that differs from the code, by name', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tideport-docs-'))
  await generate('--root', root)
  await generate('--root', root, '--check')
  for (const page of pages) await appendFile(join(root, page), ' ')
  const { code, stderr } = await generate('--root', root, '--check').catch((error) => error)
  expect(code).toBe(1)
  for (const page of pages) expect(stderr).toContain(`${page} differs`)
  await rm(root, { recursive: true })
})

it('lists every code of a file in error', async () => {
  const root = join(import.meta.dirname, '../..')
  const state = await readFile(join(root, 'packages/file-lifecycle/src/state/state.ts'), 'utf8')
  const [, failures = ''] = /const failures = \{(.*?)\} as const/s.exec(state) ?? []
  const codes = Array.from(failures.matchAll(/^ {2}(\w+):/gm), ([, code]) => code)
  expect(codes).toContain('sync_failed')
  const page = await readFile(join(root, 'docs/reference/errors.md'), 'utf8')
  const [, section = ''] = /### A file in the state `error`(.*?)###/s.exec(page) ?? []
  for (const code of codes) expect(section).toContain(`| \`${code}\` |`)
})
