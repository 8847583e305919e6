import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { api } from '@tideport/contracts/public/api'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { inOurWords } from '../../src/http/invalid-input.ts'

const wordsOf = (schema: z.ZodType, input: unknown) =>
  schema.safeParse(input, { error: inOurWords }).error?.issues.map(({ message }) => message)

it.each([
  [z.string(), undefined, 'Must be sent'],
  [z.string(), 7, 'Must be a string'],
  [z.int(), 1.5, 'Must be a whole number'],
  [z.array(z.string()), 'a', 'Must be an array'],
  [z.string().min(1), '', 'Must not be empty'],
  [z.array(z.string()).min(1), [], 'Must have at least 1 entry'],
  [z.array(z.string()).max(1), ['a', 'b'], 'Must have at most 1 entry'],
  [z.string().max(2), 'abc', 'Must be at most 2 characters'],
  [z.int().min(1), 0, 'Must be at least 1'],
  [z.number().positive(), 0, 'Must be more than 0'],
  [z.number().max(5), 6, 'Must be at most 5'],
  [z.enum(['a', 'b']), 'c', 'Must be one of a, b'],
  [z.literal('a'), 'c', 'Must be a'],
  [z.iso.datetime(), 'today', 'Must be a time, e.g. 2026-01-31T12:00:00Z'],
  [z.string().regex(/a/), 'b', 'Has an invalid format'],
  [z.string().regex(/a/, 'Must be a'), 'b', 'Must be a'],
  [z.strictObject({}), { b: 1 }, 'Has unknown fields: b'],
  [z.union([z.string(), z.int()]), true, 'Matches none of the allowed forms'],
])('%# describes to the sender what to correct', (schema, input, words) => {
  expect(wordsOf(schema, input)).toEqual([words])
})

it('shows no default message of the parser for any endpoint', () => {
  const strange = [undefined, null, true, '', 'x', 1.5, -1, [], [''], {}, 'x'.repeat(9_000)]
  const schemas = (Object.values(api) as Pick<Endpoint, 'body' | 'query'>[])
    .flatMap(({ body, query }) => [body, query])
    .filter((schema) => schema !== undefined)
  const fields = schemas.flatMap((schema) => Object.values(schema instanceof z.ZodObject ? schema.shape : {}))
  const said = [...schemas, ...fields].flatMap((schema) => strange.flatMap((input) => wordsOf(schema, input) ?? []))
  expect(said.length).toBeGreaterThan(1000)
  expect(said.filter((words) => /^(Invalid|Too |Unrecognized)|expected/.test(words))).toEqual([])
})
