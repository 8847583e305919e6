import { execFileSync } from 'node:child_process'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const sources = globSync('{packages,services,apps,tools,e2e,bench}/**/*.{ts,tsx,js,mjs}', {
  cwd: root,
  exclude: (name) => name === 'node_modules' || name === 'dist',
})

/** Vague names (docs/contribute/guide.md). */
const forbiddenNames = /^(utils?|common|helpers?|shared|misc|types|index)(\.d)?\.(tsx?|js|mjs)$/

describe('the tree', () => {
  it('has no file with a vague name', () => {
    expect(['utils.ts', 'types.d.ts', 'index.ts'].every((name) => forbiddenNames.test(name))).toBe(true)
    expect(sources.filter((path) => forbiddenNames.test(basename(path)))).toEqual([])
  })

  it('has kebab-case file names', () => {
    expect(sources).toContain('packages/contracts/src/public/api.ts')
    const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.(config|d|(full\.)?test))?\.(tsx?|js|mjs)$/
    expect(sources.filter((path) => !kebabCase.test(basename(path)))).toEqual([])
  })

  it('has no file above 300 lines, except generated files', () => {
    const written = sources.filter((path) => !path.includes('/generated/'))
    const lengths = written.map((path) => ({
      path,
      lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1,
    }))
    expect(lengths.filter(({ lines }) => lines > 300)).toEqual([])
  })

  it('has no skipped or exclusive test', () => {
    const marker = /\b(?:it|test|describe)\.(?:only|skip|todo)\b/
    const tests = sources.filter((path) => path.endsWith('.test.ts'))
    expect(tests.filter((path) => marker.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
  })

  it('mentions only existing decisions, as `ADR 0001` in code and as links in pages', () => {
    const records = readdirSync(join(root, 'docs/adr'))
    const numbers = records.map((name) => name.slice(0, 4))
    // Applied migrations never change, so they keep the numbers of deleted decisions.
    const files = execFileSync('git', ['grep', '-lIE', 'ADR [0-9]{4}|adr/[0-9]{4}', '--', '.', ':!*.sql'], {
      cwd: root,
    })
    const mentions = files.toString().trim().split('\n').flatMap(mentionsOf)
    expect(new Set(numbers).size).toBe(records.length)
    expect(mentions.some(({ number }) => number !== undefined)).toBe(true)
    expect(mentions.some(({ page }) => page !== undefined)).toBe(true)
    expect(mentions.filter(({ number }) => number !== undefined && !numbers.includes(number))).toEqual([])
    expect(mentions.filter(({ page }) => page !== undefined && !records.includes(page))).toEqual([])
  })
})

function mentionsOf(path: string): { path: string; number?: string; page?: string }[] {
  const text = readFileSync(join(root, path), 'utf8')
  return [...text.matchAll(/\bADR (?<number>\d{4})|\badr\/(?<page>\d{4}[\w.-]*)/g)].map(({ groups }) => ({
    path,
    ...groups,
  }))
}
