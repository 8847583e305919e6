import { describe, expect, it } from 'vitest'
import { parseRetryAfter } from '../../src/delivery/retry-schedule.ts'

const now = new Date('1994-11-06T08:49:00.000Z')

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['120', 120],
    ['1000000000000', 1e12],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37],
    ['Sun, 06 Nov 1994 08:48:00 GMT', 0],
  ])('reads %j', (text, seconds) => {
    expect(parseRetryAfter(text, now)).toBe(seconds)
  })

  it.each([
    '',
    '-1',
    '1.5',
    '1e12',
    '5, 6',
    'soon',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Nov 1994 08:49:37 +0200',
    'Sun, 99 Nov 1994 08:49:37 GMT',
  ])('ignores %j', (text) => {
    expect(parseRetryAfter(text, now)).toBeNull()
  })
})
