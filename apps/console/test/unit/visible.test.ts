import { expect, it } from 'vitest'
import { isolated, shown, visible } from '../../src/text/visible.ts'

it.each([
  ['invoice\u202efdp.exe', 'invoice[U+202E]fdp.exe'],
  ['\u2066a\u2069\u200e\u200f\u061c', '[U+2066]a[U+2069][U+200E][U+200F][U+061C]'],
  ['pass\u200bword', 'pass[U+200B]word'],
  ['pay\u200dpal', 'pay[U+200D]pal'],
  ['\u200ca', '[U+200C]a'],
  ['so\u00adft', 'so[U+00AD]ft'],
  ['\u3164', '[U+3164]'],
  ['\ufeffname', '[U+FEFF]name'],
  ['a\ufe0f', 'a[U+FE0F]'],
  ['a\u{e0061}', 'a[U+E0061]'],
  ['two\u2028lines', 'two[U+2028]lines'],
])('shows each invisible character by its number: %j', (name, told) => {
  expect(visible(name)).toBe(told)
})

it.each([
  'Grüße “🗂”.bin',
  '👩‍👩‍👧',
  '❤️',
  '1️⃣',
  '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  'می‌خواهم',
  'क्‍ष',
  '葛\u{e0100}',
  'שלום',
  '한글',
])('does not change visible text: %s', (name) => expect(visible(name)).toBe(name))

it('a name does not change the text direction of the sentence', () => {
  expect(shown(`Delete ${isolated('a\u2069\u202eb')}?`)).toBe('Delete \u2068a[U+2069][U+202E]b\u2069?')
})

it('is fast for adversarial input too', () => {
  const text = `\u{1f3f4}${'\u{e0061}'.repeat(100_000)}`
  const before = process.threadCpuUsage()
  visible(text)
  visible('\u200d'.repeat(100_000))
  expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000)
})
