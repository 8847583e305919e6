import { expect, it } from 'vitest'
import { visible, visibleJson } from '../../src/terminal/visible.ts'

it.each([
  ['invoice\u202Efdp.exe', 'invoice\ufffdfdp.exe'],
  ['a\u{e0041}b', 'a\ufffdb'],
  ['a\ufe0fb', 'a\ufffdb'],
  ['a\u200db', 'a\ufffdb'],
])('%j has a mark for what nobody sees', (text, shown) => {
  expect(visible(text)).toBe(shown)
})

it('names cannot command a terminal', () => {
  expect(visible('a\u001b[31m\r\u0007\u202eb\nc')).toBe('a\ufffd[31m\ufffd\ufffd\ufffdb\nc')
})

it.each(['two\nlines', '❤️', '👩‍👧', '1️⃣', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'می‌خواهم', '葛󠄀城'])('%j stays whole', (text) => {
  expect(visible(text)).toBe(text)
})

it('what programs read cannot command a terminal either, and stays what it is', () => {
  const value = { path: 'a\u009b31m\u202eb\u{e0041}👩‍👧', fault: '\u001b' }
  const line = visibleJson(value)
  expect(line).toBe(String.raw`{"path":"a\u009b31m\u202eb\udb40\udc41👩‍👧","fault":"\u001b"}`)
  expect(JSON.parse(line)).toEqual(value)
})
