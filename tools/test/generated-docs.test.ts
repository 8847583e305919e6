import { execFile } from 'node:child_process'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const tool = join(import.meta.dirname, '../generate-docs/main.ts')
const generate = (...args: string[]) => promisify(execFile)(process.execPath, [tool, ...args])

const pages = ['openapi.json', 'messages.md', 'configuration.md']

it('fails the check for every page that differs from the code, by name', { timeout: 60_000 }, async () => {
  const docs = await mkdtemp(join(tmpdir(), 'tideport-docs-'))
  await generate('--docs', docs)
  await generate('--docs', docs, '--check')
  for (const page of pages) await appendFile(join(docs, page), ' ')
  const { code, stderr } = await generate('--docs', docs, '--check').catch((error) => error)
  expect(code).toBe(1)
  for (const page of pages) expect(stderr).toContain(`docs/${page} differs`)
  await rm(docs, { recursive: true })
})
