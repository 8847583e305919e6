import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { deCheck } from '../../src/text/de/check.ts'
import { deExport } from '../../src/text/de/export.ts'
import { enCheck } from '../../src/text/en/check.ts'
import { enExport } from '../../src/text/en/export.ts'

it('names pages of the documentation by their titles, in each language', () => {
  const leave = titleOf('guides/leave.md')
  expect(enExport.manifestText).toContain(`“${leave}”`)
  expect(deExport.manifestText).toContain(`„${leave}“`)
  const networks = titleOf('operate/networks/overview.md')
  for (const sentence of [enCheck.noNetwork, enCheck.singleDisk]) expect(sentence).toContain(`“${networks}”`)
  for (const sentence of [deCheck.noNetwork, deCheck.singleDisk]) expect(sentence).toContain(`„${networks}“`)
})

function titleOf(path: string): string | undefined {
  const page = readFileSync(new URL(`../../../../docs/${path}`, import.meta.url), 'utf8')
  return /^title: (.*)$/m.exec(page)?.[1]
}
