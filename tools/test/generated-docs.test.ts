import { execFile } from 'node:child_process'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
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
