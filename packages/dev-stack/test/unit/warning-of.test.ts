import { expect, test } from 'vitest'
import { warningOf } from '../../src/stack/stack-logs.ts'

test('a warning is told by who, how bad and what', () => {
  expect(warningOf('sync-0', '{"level":40,"msg":"a job was given up"}')).toBe('sync-0 warning: a job was given up')
  expect(warningOf('sync-1', '{"level":50,"msg":"no answer","err":{"message":"timed out"}}')).toBe(
    'sync-1 error: no answer: timed out',
  )
})

test.each(['{"level":30,"msg":"done"}', '{"msg":"no level"}', '{broken', 'plain text'])(
  '%s stays in the file',
  (line) => {
    expect(warningOf('sync-0', line)).toBeUndefined()
  },
)
