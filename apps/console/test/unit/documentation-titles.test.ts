import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { deExport } from '../../src/text/de/export.ts'
import { enExport } from '../../src/text/en/export.ts'

it('names the page about exports by its title, in each language', () => {
  const page = readFileSync(new URL('../../../../docs/guides/leave.md', import.meta.url), 'utf8')
  const title = /^title: (.*)$/m.exec(page)?.[1]
  expect(enExport.manifestText).toContain(`“${title}”`)
  expect(deExport.manifestText).toContain(`„${title}“`)
})
