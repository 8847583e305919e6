import { markdownTable } from '../markdown-table.ts'
import { type Declaration, declarationsIn, type Member, membersOf } from './declarations.ts'

/** The text of a module below `packages/sdk/src`. */
type Read = (path: string) => string

const entries = [
  ['@tideport/sdk', 'tideport.ts'],
  ['@tideport/sdk/node', 'node.ts'],
  ['@tideport/sdk/crypto', 'crypto.ts'],
  ['@tideport/sdk/webhooks', 'webhooks.ts'],
] as const

const heading = `---
title: SDK
---

Generated from the sources of \`@tideport/sdk\` by \`npm run generate\`. Guides: [first upload](../tutorials/first-upload.md),
[private files](../guides/private-files.md), [webhooks](../guides/webhooks.md).
`

/** \`docs/reference/sdk.md\`: everything that the SDK exports, from its docstrings. */
export function referencePage(read: Read): string {
  return `${[heading, ...entries.map(([name, path]) => entryText(name, exportsOf(path, read)))].join('\n')}\n${callsText(read)}`
}

/** What an entry hands on, but for what is generated, which has tables of its own. */
function exportsOf(path: string, read: Read): Declaration[] {
  const handedOn = /^export (?:type )?(\*|\{[^}]*\})(?: as \w+)? from '\.\/([^']+)'/gm
  return [...read(path).matchAll(handedOn)].flatMap(([, what = '', from = '']) => {
    if (from.startsWith('generated/') || from === 'errors/generated/error-classes.ts') return []
    const names = what === '*' ? null : new Set(what.replaceAll(/[{}\s]|\btype\b/g, '').split(','))
    return declarationsIn(read(from)).filter(({ name }) => names === null || names.has(name))
  })
}

function entryText(name: string, declarations: Declaration[]): string {
  const of = (test: (one: Declaration) => boolean) => declarations.filter(test)
  const isError = ({ kind }: Declaration) => kind === 'class'
  const isCallable = ({ kind }: Declaration) => kind === 'function' || kind === 'const'
  const parts = [
    ...of(isCallable).map(callableText),
    ...of((one) => !isCallable(one) && !isError(one)).map(typeText),
    of(isError).length === 0
      ? ''
      : markdownTable(
          ['Error', 'Means'],
          of(isError).map(({ name, docs }) => [`\`${name}\``, docs]),
        ),
  ]
  return `## ${name}\n\n${parts.filter(Boolean).join('\n\n')}\n`
}

const oneLine = (text: string) =>
  text
    .replaceAll(/\/\* @__PURE__ \*\/ /g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=\() |,? (?=\))/g, '')

/** A parameter that is taken apart is called by what it is. */
const named = (signature: string) =>
  signature.replaceAll(/\{[^{}]*\}(?=: \w*Options\b)/g, 'options').replaceAll(/\{[^{}]*\}(?=: (?!\())/g, 'input')

function callableText({ name, kind, docs, text }: Declaration): string {
  const signature =
    kind === 'const'
      ? oneLine(text)
          .replace(/ =>? .*$/, '')
          .replace(/^ ?= \(/, '(')
      : named(oneLine(text))
  return `### ${name}\n\n\`${name}${signature}\`\n\n${docs}`
}

function typeText({ name, kind, docs, text }: Declaration): string {
  const members = kind === 'interface' || text.includes('{\n') ? membersOf(text) : []
  const rows = members.map((one) => [`\`${one.name}\``, `\`${typeOf(one)}\``, one.docs])
  const table =
    rows.length > 0 ? markdownTable(['Member', 'Type', 'Is'], rows) : `\`${oneLine(text).replace(/^= /, '')}\``
  const [, more] = /^extends ([^{]+) \{/.exec(text) ?? []
  const also = more === undefined ? '' : `And all of \`${oneLine(more)}\`.`
  return [`### ${name}`, docs, table, also].filter(Boolean).join('\n\n')
}

/** That it may be undefined is said by the mark behind its name. */
const typeOf = ({ name, type }: Member): string =>
  name.endsWith('?')
    ? oneLine(type)
        .replace(/ \| undefined$/, '')
        .replace(/^\((.*)\)$/, '$1')
    : oneLine(type)

function callsText(read: Read): string {
  const shapes = new Map(declarationsIn(read('generated/shapes.ts')).map((one) => [one.name, one]))
  const call =
    /\/\*\* (.*) \*\/\nexport const (\w+) = \/\* @__PURE__ \*\/ (call|listCall|bytesCall)<(.*)>\((?:'([A-Z]+)', )?'(\/[^']*)'/g
  const rows = [...read('generated/calls.ts').matchAll(call)].map(
    ([, docs = '', name, kind, types = '', method = 'GET', path]) => {
      const [input = '', answer = 'Response'] = types.split(', ').filter((type) => type !== 'never>')
      const fields = membersOf(shapes.get(input)?.text ?? '').map((one) => one.name)
      const answered =
        kind === 'listCall' ? `List of \`${answer}\`` : `\`${kind === 'bytesCall' ? 'Response' : answer}\``
      return [`\`${name}\``, `\`${method} ${path}\``, fields.map((field) => `\`${field}\``).join(', '), answered, docs]
    },
  )
  const errors = declarationsIn(read('errors/generated/error-classes.ts')).filter(({ kind }) => kind === 'class')
  return `## A function for each endpoint

Each takes the client, one flat object with what path, query and body take, and \`CallOptions\`. A list is read item by item with \`for await\`, or
page by page with \`.page()\`. What each field means is in [openapi.json](../openapi.json), and in your editor.

${markdownTable(['Function', 'Endpoint', 'Takes', 'Answers', 'Does'], rows)}

## An error for each code

All are an \`ApiError\`, from \`@tideport/sdk\`.

${markdownTable(
  ['Error', 'Code (status)'],
  errors.map(({ name, docs }) => [`\`${name}\``, docs]),
)}
`
}
