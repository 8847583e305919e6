import { expect, it } from 'vitest'
import { coveragePage } from '../generate-docs/coverage-page.ts'

const head = '| No. | It says | Tests |\n|---|---|---|\n'

it('renumbers rows of two branches and merges rows that both changed', () => {
  const merged = [
    `# Page\n\n## 1. One\n\n### Vault\n\n${head}`,
    '| 1.1 | id | `a.test.ts › one` |\n',
    '| 1.2 | name | `a.test.ts › two`<br>`b.test.ts › mine` |\n',
    '| 1.2 | name | `a.test.ts › two`<br>`c.test.ts › theirs` |\n',
    '| 1.3 | slug | `a.test.ts › four` |\n',
    `\n### File\n\n${head}| 1.3 | id | \`a.test.ts › three\` |\n`,
    `\n## The console\n\n${head}| 32.4 | keys | \`d.test.ts › five\` |\n| 32.4 | links \\| all | \`d.test.ts › six\` |\n`,
  ].join('')
  const whole = [
    `# Page\n\n## 1. One\n\n### Vault\n\n${head}`,
    '| 1.1 | id | `a.test.ts › one` |\n',
    '| 1.2 | name | `a.test.ts › two`<br>`b.test.ts › mine`<br>`c.test.ts › theirs` |\n',
    '| 1.3 | slug | `a.test.ts › four` |\n',
    `\n### File\n\n${head}| 1.4 | id | \`a.test.ts › three\` |\n`,
    `\n## The console\n\n${head}| 32.1 | keys | \`d.test.ts › five\` |\n| 32.2 | links \\| all | \`d.test.ts › six\` |\n`,
  ].join('')
  expect(coveragePage(merged)).toBe(whole)
  expect(coveragePage(whole)).toBe(whole)
})
