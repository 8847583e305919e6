import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const files = globSync('{packages,services,apps,e2e,deploy,tools}/**/*.test.ts', {
  cwd: root,
  exclude: (name) => name.endsWith('node_modules'),
})

/**
 * The concurrent tests of a file that poll with the imported `expect`. That function looks up the current test, which
 * is unset when a concurrent test has just finished, so the poll fails. The `expect` of a test's context belongs to its
 * test.
 */
const pollsOfNobody = (text: string) =>
  text
    .split(/^(?=(?:test|it|describe)\b)/m)
    .filter((part) => /^\w+\.concurrent\b/.test(part) && part.includes('expect.poll('))
    .filter((part) => !/async \(\{[^}]*\bexpect\b/.test(part))

it('a concurrent test polls with the expect of its own context', () => {
  const broken = files.filter((file) => pollsOfNobody(readFileSync(join(root, file), 'utf8')).length > 0)
  expect(broken).toEqual([])
})

it('distinguishes the two forms of expect', () => {
  const poll = '  await expect.poll(look).toBe(0)\n})\n'
  expect(pollsOfNobody(`test.concurrent('a', async () => {\n${poll}`)).toHaveLength(1)
  expect(
    pollsOfNobody(`test.concurrent('a', async ({ expect }) => {\n${poll}test('b', async () => {\n${poll}`),
  ).toEqual([])
})
