import { expect, it } from 'vitest'
import { visible, visibleJson, visibleLines } from '../../src/terminal/visible.ts'

/** visible.test.ts of the console has more cases. tools/test/unseen-characters.test.ts checks that both agree. */
it('lets names neither control a terminal nor start a line', () => {
  expect(visible('👩‍👧')).toBe('👩‍👧')
  expect(visible('a\u001b[31m\r\u0007\u202eb\nc\u0085\u2028d')).toBe(
    'a\ufffd[31m\ufffd\ufffd\ufffdb\ufffdc\ufffd\ufffdd',
  )
  expect(visibleLines(['a\nb', 'c'])).toBe('a\ufffdb\nc')
})

it('escapes names in JSON without changing their value', () => {
  const value = { path: 'a\u009b31m\u202eb\u{e0041}👩‍👧', fault: '\u001b' }
  const line = visibleJson(value)
  expect(line).toBe(String.raw`{"path":"a\u009b31m\u202eb\udb40\udc41👩‍👧","fault":"\u001b"}`)
  expect(JSON.parse(line)).toEqual(value)
})
