import { errorClasses } from '@tideport/sdk'
import { expect, it } from 'vitest'
import { deRefusals } from '../../src/text/de/refusals.ts'
import { describeIssue, describeRefusal } from '../../src/text/describe-refusal.ts'
import { enRefusals } from '../../src/text/en/refusals.ts'

const sentence = 'A sentence of the service'
const quoted = / Meldung des Dienstes: „A sentence of the service“$/

it.each([...Object.keys(errorClasses), 'bucket_failed', 'code_of_a_newer_service', 'toString', null])(
  'describes %s in both languages',
  (code) => {
    const german = describeRefusal(code, sentence, null, deRefusals)
    expect(german.replace(quoted, '')).toMatch(/\p{L}{3}/u)
    expect(german.replace(quoted, '')).not.toContain(sentence)
    expect(Object.hasOwn(deRefusals.codes, code ?? '')).toBe(code !== null && !/newer|toString/.test(code))
    expect(describeRefusal(code, sentence, null, enRefusals)).not.toBe('')
  },
)

it.each([
  ['quota_exceeded', { quotaBytes: 5e9 }, 'von 5 GB'],
  ['too_large', { maxSizeBytes: 1024 }, 'die Grenze von 1 kB'],
  ['too_many_links', { linksMax: 1000 }, 'höchstens 1,000 Links'],
  ['insufficient_scope', { requiredScope: 'files:write' }, 'der Scope files:write'],
  ['outside_key_limits', { limit: 'addresses' }, 'von dieser Adresse'],
  ['state_conflict', { vaultId: 'a' }, 'im Papierkorb'],
])('names the details of %s', (code, details, said) => {
  expect(describeRefusal(code, sentence, details, deRefusals)).toContain(said)
})

it.each([
  ['password', 'Geben Sie 8 bis 256 Zeichen ein'],
  ['limits.addresses.0', 'Geben Sie Adressen oder Netze an, zum Beispiel 192.0.2.7 oder 192.0.2.0/24'],
  ['newerField', `Die Anfrage ist fehlgeschlagen. Meldung des Dienstes: „${sentence}“`],
  ['toString', `Die Anfrage ist fehlgeschlagen. Meldung des Dienstes: „${sentence}“`],
])('describes an issue of the field %s', (path, said) => {
  expect(describeIssue(path, sentence, deRefusals)).toBe(said)
})

it('keeps the message of the service in English unless it is meant for programs', () => {
  expect(describeRefusal('vault_not_empty', sentence, null, enRefusals)).toBe(
    'The vault contains files. Delete them first',
  )
  expect(describeRefusal('path_taken', sentence, null, enRefusals)).toBe(sentence)
  expect(describeIssue('name', sentence, enRefusals)).toBe(sentence)
})
