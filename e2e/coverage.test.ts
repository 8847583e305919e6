import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** The rows of COVERAGE.md: number, claim, and the tests that prove it. */
const rows = [...read('COVERAGE.md').matchAll(/^\| (\d+\.\d+) \| (.+?) \| (.*?) \|$/gm)].map(
  ([, number, claim, cell]) => {
    const tests = [...(cell ?? '').matchAll(/`([^`]+?) › ([^`]+)`/g)]
    return { number, claim, tests: tests.map(([, file, title]) => ({ file: file as string, title: title as string })) }
  },
)

test('every rule of the specification has a unique number and names at least one test', () => {
  expect(rows.length).toBeGreaterThan(100)
  const numbers = rows.map(({ number }) => number)
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([])
})

test('every named test exists', () => {
  const missing = rows.flatMap(({ number, tests }) =>
    tests
      .filter(({ file, title }) => !hasTest(read(file), title))
      .map(({ file, title }) => `${number}: ${file} › ${title}`),
  )
  expect(missing).toEqual([])
})

/** Whether the file has a test with exactly this title, including tests for a table of cases. */
function hasTest(source: string, title: string): boolean {
  return ["'", '"', '`'].some(
    (quote) => source.includes(`(${quote}${title}${quote},`) || isOnOwnLine(source, quote + title + quote),
  )
}

const isOnOwnLine = (source: string, literal: string) =>
  source.split('\n').some((line) => line.trim() === `${literal},`)

test('every end-to-end test file proves a listed claim', () => {
  const files = globSync('**/*.test.ts', { cwd: new URL('.', import.meta.url) }).filter(
    (file) => file !== 'coverage.test.ts',
  )
  const named = new Set(rows.flatMap(({ tests }) => tests.map(({ file }) => file)))
  expect(files.filter((file) => !named.has(file))).toEqual([])
})
