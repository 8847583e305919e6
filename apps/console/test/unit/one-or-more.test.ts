import { expect, it } from 'vitest'
import { de } from '../../src/text/de.ts'
import { en } from '../../src/text/en.ts'

it('says of one what is said of one, in each language', () => {
  expect([en, de].map(({ operator }) => operator.redriveDone(1, 1))).toEqual([
    'Done: 1 retried, 1 unchanged.',
    'Fertig: 1 noch einmal versucht, 1 unverändert.',
  ])
  expect([en, de].map(({ operator }) => operator.redriveDone(2, 0))).toEqual([
    'Done: 2 retried.',
    'Fertig: 2 noch einmal versucht.',
  ])
  expect([en, de].map(({ operator }) => operator.redriveWould(1))).toEqual([
    '1 would be tried again.',
    '1 würde noch einmal versucht.',
  ])
  expect(en.vaults.removeText(en.vaults.count(1))).toContain('With it: 1 file.')
})
