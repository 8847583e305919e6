import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deRefusals } from '../../src/text/de/refusals.ts'
import { enRefusals } from '../../src/text/en/refusals.ts'
import { sayRefusal } from '../../src/text/say-refusal.ts'

const repository = join(import.meta.dirname, '../../../..')
const sources = (...patterns: string[]) =>
  globSync(patterns, { cwd: repository }).map((path) => readFileSync(join(repository, path), 'utf8'))

/** A sentence in quotes, or in a template, whose parts that differ become a word. */
const quoted = String.raw`(?:'([A-Z][^'\n]+)'|\x60([A-Z][^\x60]+)\x60)`
const sentencesIn = (texts: string[], before: string) =>
  texts
    .flatMap((text) => [...text.matchAll(new RegExp(before + quoted, 'g'))])
    .map(([, plain, template = '']) => plain ?? template.replaceAll(/\$\{[^}]+\}/g, 'X'))

const services = sources('services/*/src/**/*.ts', 'packages/{service-kit,hot-tier,file-lifecycle}/src/**/*.ts')
const contracts = sources('packages/contracts/src/public/*.ts')
const words = sources(
  'packages/service-kit/src/http/issue-words.ts',
  'packages/service-kit/src/outgoing/{url-fault,describe-failure}.ts',
  'packages/file-lifecycle/src/many/bucket/explain-failure.ts',
)

const refusals = new Set([
  ...sentencesIn(
    services,
    String.raw`(?:AppError\(\s*'\w+',|unavailable\(|Job(?:End|Trouble)\('\w+',|outsideLimits\(|conflict\(|refused\('\w+',)\s*`,
  ),
  ...sentencesIn(services, String.raw`(?:invalid|badCursor)\((?:\w+, |'\w+', )?`),
  ...sentencesIn(services, String.raw`path: '\w+', message: `),
  ...sentencesIn(contracts, String.raw`(?:error: |message: |/[a-z]*, |\), |, )`).filter((text) =>
    /^(Must|Only|An|Exactly|Visibility)/.test(text),
  ),
  ...sentencesIn(words, String.raw`(?:return |\? |: |= )`),
])

it('says every refusal of the service in German too', () => {
  expect(refusals.size).toBeGreaterThan(150)
  const isWhole = (sentence: string) => !/X X|uploads X$|^HTTPParserError$/.test(sentence)
  expect([...refusals].filter(isWhole).filter((sentence) => sayRefusal(sentence, deRefusals) === sentence)).toEqual([])
})

it.each([
  ['Must be at most 128 characters', 'Höchstens 128 Zeichen'],
  ['Must be at most 1024 bytes for an upload link', 'Für einen Link zum Hochladen höchstens 1024 Byte'],
  ['Must be one of asc, desc', 'Möglich sind asc, desc'],
  [
    'The target of the export cannot be used: Must be an https URL',
    'Dieses Ziel kann der Export nicht haben: Das muss eine https-Adresse sein',
  ],
  ['A sentence of a newer service', 'A sentence of a newer service'],
  ['toString', 'toString'],
])('%s', (sentence, said) => {
  expect(sayRefusal(sentence, deRefusals)).toBe(said)
})

it('keeps what the service says in English but where that is for programs', () => {
  expect(sayRefusal('Must be sent', enRefusals)).toBe('Please fill this in')
  expect(sayRefusal('Another file has this path', enRefusals)).toBe('Another file has this path')
})
