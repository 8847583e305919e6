import { expect, test } from 'vitest'
import { tellWarnings, warningOf } from '../../src/services/warnings.ts'

test.each([
  ['{"level":"warn","msg":"job failed permanently"}', 'sync-0 warning: job failed permanently'],
  ['{"level":"error","msg":"no answer","err":{"message":"timed out"}}', 'sync-0 error: no answer: timed out'],
  ['{"level":"fatal","msg":"could not start"}', 'sync-0 fatal: could not start'],
  [
    '{"level":"warn","msg":"pulling","err":{"message":"no answer","cause":{"message":"no answer","cause":{"message":"refused"}}}}',
    'sync-0 warning: pulling: no answer: refused',
  ],
])('prints %s with process, level, message, and causes, each message once', (line, told) => {
  expect(warningOf('sync-0', line)).toBe(told)
})

test('removes control characters from messages and shortens long ones', () => {
  const told = warningOf('sync-0', JSON.stringify({ level: 'warn', msg: `\u001b[2J\r\n${'x'.repeat(9999)}` }))
  expect(told).toMatch(/^sync-0 warning: {2}\[2J x+…$/)
  expect(told?.length).toBeLessThan(600)
})

test.each(['{"level":"info","msg":"done"}', '{"msg":"no level"}', '{broken', 'plain text'])(
  'does not print %s',
  (line) => {
    expect(warningOf('sync-0', line)).toBeUndefined()
  },
)

test('prints a repeated warning once in ten seconds with its count, and other warnings immediately', () => {
  const told: string[] = []
  let now = 0
  const tell = tellWarnings(
    'sync-0',
    (line) => void told.push(line),
    () => now,
  )
  const warn = (msg: string) => tell(JSON.stringify({ level: 'warn', msg }))
  for (let n = 0; n < 100; n++) warn('down')
  warn('other')
  now = 10_000
  warn('down')
  now = 20_000
  warn('down')
  expect(told).toEqual([
    'sync-0 warning: down',
    'sync-0 warning: other',
    'sync-0 warning: down (and 99 times since the last report)',
    'sync-0 warning: down',
  ])
})
