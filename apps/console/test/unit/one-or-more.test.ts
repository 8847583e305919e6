import { expect, it } from 'vitest'
import { de } from '../../src/text/de.ts'
import { en } from '../../src/text/en.ts'

it('says of one what is said of one, in each language', () => {
  expect([en, de].map(({ operator }) => operator.redriveDone(1, 1))).toEqual([
    'Done: 1 goes on, 1 stays as it was.',
    'Fertig: 1 geht weiter, 1 bleibt, wie es war.',
  ])
  expect([en, de].map(({ operator }) => operator.redriveDone(2, 0))).toEqual([
    'Done: 2 go on.',
    'Fertig: 2 gehen weiter.',
  ])
  expect([en, de].map(({ operator }) => operator.redriveWould(1))).toEqual([
    '1 would be tried again.',
    '1 würde noch einmal versucht.',
  ])
  expect(en.vaults.removeText(en.vaults.count(1))).toContain('With it: 1 file.')
})
