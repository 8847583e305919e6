import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { subjectFaults } from '../check-prose/subjects.ts'

const program = join(import.meta.dirname, '../check-prose/main.ts')
const long = `${Array.from({ length: 31 }, () => 'word').join(' ')}.`

it('reports terms, long sentences, and vague headings by file and line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'check-prose-'))
  try {
    const page = join(folder, 'page.md')
    const code = join(folder, 'code.ts')
    writeFileSync(page, `## What is gone\n\nIt goes on.\n\n${long}\n\n\`goes on\` is code.\n`)
    writeFileSync(code, `// made anew\nexport const goes = 'on and on'\nthrow new Error('It goes on.')\n`)
    const { stderr, status } = spawnSync(process.execPath, [program, page, code], { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr.split('\n').filter((line) => line.includes('check-prose-'))).toEqual([
      `${page}:1: A heading starts with a noun or a verb`,
      `${page}:3: "goes on": use continue`,
      `${page}:5: A sentence of 31 words: write at most 30, better 25`,
      `${code}:1: "anew": use again, or re-create, rebuild`,
      `${code}:3: "goes on": use continue`,
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('accepts a commit subject with an area and a summary of at most 72 characters', () => {
  expect(subjectFaults(['gateway: answer 503 while its clock is skewed', 'sdk, cli: name the file'])).toEqual([])
  expect(subjectFaults(['Add a thing', `docs: ${'x'.repeat(70)}`, 'docs: end with a full stop.'])).toHaveLength(3)
})
