import { expect, it } from 'vitest'
import { de } from '../../src/text/de.ts'
import { en } from '../../src/text/en.ts'

it('uses the singular for one item in each language', () => {
  expect([en, de].map(({ operator }) => operator.redriveDone(1, 1))).toEqual([
    'Done: 1 retried, 1 unchanged.',
    'Fertig: 1 erneut versucht, 1 unverändert.',
  ])
  expect([en, de].map(({ operator }) => operator.redriveDone(2, 0))).toEqual([
    'Done: 2 retried.',
    'Fertig: 2 erneut versucht.',
  ])
  expect([en, de].map(({ operator }) => operator.redriveWould(1))).toEqual([
    '1 item would be retried.',
    '1 Element würde erneut versucht.',
  ])
  expect(en.vaults.removeText(en.vaults.count(1))).toContain('(1 file)')
})
