import { markdownTable } from '../markdown-table.ts'
import { type Declaration, declarationsIn, type Member, membersOf } from './declarations.ts'

/** Returns the source of a module, by its path in `packages/sdk/src`. */
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

Guides: [first upload](../tutorials/first-upload.md),
[private files](../guides/private-files.md), [webhooks](../guides/webhooks.md).
`

/** \`docs/reference/sdk.md\`: every export of the SDK, with its docstring. */
export function referencePage(read: Read): string {
  return `${[heading, ...entries.map(([name, path]) => entryText(name, exportsOf(path, read)))].join('\n')}\n${callsText(read)}`
}

/** Exports of an entry, without generated ones, which are in separate tables. */
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
          ['Error', 'Meaning'],
          of(isError).map(({ name, docs }) => [`\`${name}\``, docs]),
        ),
  ]
  return `## ${name}\n\n${parts.filter(Boolean).join('\n\n')}\n`
}

const oneLine = (text: string) =>
  text
    .replaceAll(/\/\*(?:(?!\*\/)[\s\S])*\*\/\s/g, '')
    .replaceAll(/(?<=[^\s,;{(|&=])\n\s+(?=[\w$]+\??:)/g, '; ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=\() |,? (?=\))/g, '')
    .replace(/^(= )?\| /, '$1')

/** Names a destructured parameter. */
const named = (signature: string) =>
  signature.replaceAll(/\{[^{}]*\}(?=: \w*Options\b)/g, 'options').replaceAll(/\{[^{}]*\}(?=: (?!\())/g, 'input')

function callableText({ name, kind, docs, text }: Declaration): string {
  const signature =
    kind === 'const'
      ? oneLine(text)
          .replace(/ =>? .*$/, '')
          .replace(/^ ?= \(/, '(')
      : named(oneLine(text))
  return [`### ${name}`, `\`${name}${signature}\``, docs].filter(Boolean).join('\n\n')
}

function typeText({ name, kind, docs, text }: Declaration): string {
  const members = kind === 'interface' || text.includes('{\n') ? membersOf(text) : []
  const list = members.map((one) => `- \`${one.name}${typeOf(one)}\`${one.docs && `: ${one.docs}`}`)
  const shape = list.length > 0 ? list.join('\n') : `\`${oneLine(text).replace(/^= /, '')}\``
  const [, more] = /^extends ([^{]+) \{/.exec(text) ?? []
  const also = more === undefined ? '' : `Extends \`${oneLine(more)}\`.`
  return [`### ${name}`, docs, shape, also].filter(Boolean).join('\n\n')
}

/** The first sentence; openapi.json and the HTTP reference have the rest. */
const summaryOf = (docs: string): string => docs.split('. ', 1).join('').replace(/\.$/, '')

/** `: type`, or the parameters and result of a method. Omits `undefined`, which the `?` after the name already shows. */
function typeOf({ name, type, isMethod }: Member): string {
  if (isMethod) return oneLine(type)
  const bare = type.replace(/ \| undefined$/, '').replace(/^\((.*)\)$/, '$1')
  return `: ${oneLine(name.endsWith('?') ? bare : type)}`
}

function callsText(read: Read): string {
  const shapes = new Map(declarationsIn(read('generated/shapes.ts')).map((one) => [one.name, one]))
  const call =
    /\/\*\* (.*) \*\/\nexport const (\w+) = \/\* @__PURE__ \*\/ (call|listCall|bytesCall)<(.*)>\((?:'([A-Z]+)', )?'(\/[^']*)'/g
  const rows = [...read('generated/calls.ts').matchAll(call)].map(
    ([, docs = '', name, kind, types = '', method = 'GET', path]) => {
      const [input = '', answer = 'Response'] = types.split(', ').filter((type) => type !== 'never>')
      const fields = membersOf(shapes.get(input)?.text ?? '').map((one) => one.name)
      const taken = fields.length > 0 ? `{ ${fields.join(', ')} }` : ''
      const returned = kind === 'listCall' ? `List<${answer}>` : kind === 'bytesCall' ? 'Response' : answer
      return [`\`${name}(${taken}): ${returned}\``, `\`${method} ${path}\``, summaryOf(docs)]
    },
  )
  const errors = declarationsIn(read('errors/generated/error-classes.ts')).filter(({ kind }) => kind === 'class')
  return `## Functions for endpoints

Each function takes the client before the fields of path, query, and body, and \`CallOptions\` after them. Iterate over a list with
\`for await\`, or call \`.page()\`. Each endpoint is described in [openapi.json](../openapi.json) and in your editor.

${markdownTable(['Function', 'Endpoint', 'Summary'], rows)}

## Errors for codes

Subclasses of \`ApiError\`, each with its code and status:

${errors.map(({ name, docs }) => `- \`${name}\`: ${docs}`).join('\n')}
`
}
