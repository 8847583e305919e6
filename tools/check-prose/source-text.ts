import type { TextlintPluginCreator, TextlintPluginProcessor } from '@textlint/kernel'
import { parseSync, Visitor } from 'oxc-parser'

type Parsed = ReturnType<ReturnType<TextlintPluginProcessor['processor']>['preProcess']>
type Span = { start: number; end: number; isString?: boolean }

/** A textlint plugin: the strings of TypeScript (`.ts`) are paragraphs; its comments, and lines of other text (`.txt`), are text. */
export const sourceText: TextlintPluginCreator = {
  Processor: class {
    availableExtensions() {
      return ['.ts', '.txt']
    }
    processor(ext: string) {
      return {
        preProcess: (text: string) => documentOf(text, ext === '.ts' ? spansOfSource(text) : spansOfLines(text)),
        postProcess: (messages: never[], filePath = '') => ({ messages, filePath }),
      }
    }
  },
}

/** Comments, and strings of at least two words: a string of one word is a name, not prose. */
function spansOfSource(text: string): Span[] {
  const { program, comments } = parseSync('source.tsx', text)
  const spans: Span[] = comments.map(({ start, end }) => ({ start, end }))
  const add = ({ start, end }: Span) => {
    if (/\p{L} \p{L}/u.test(text.slice(start, end))) spans.push({ start, end, isString: true })
  }
  const tagged = new Set<number>() // SQL, mostly
  new Visitor({
    TaggedTemplateExpression: ({ quasi }) => void tagged.add(quasi.start),
    TemplateLiteral: (node) => {
      if (!tagged.has(node.start)) node.quasis.forEach(add)
    },
    Literal: (node) => {
      if (typeof node.value === 'string') add(node)
    },
    JSXText: add,
  }).visit(program)
  return spans.toSorted((a, b) => a.start - b.start)
}

function spansOfLines(text: string): Span[] {
  return [...text.matchAll(/[^\n]+/g)].map(({ 0: line, index }) => ({ start: index, end: index + line.length }))
}

function documentOf(text: string, spans: Span[]): Parsed {
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const positionOf = (offset: number) => {
    const line = lineStarts.findLastIndex((start) => start <= offset)
    return { line: line + 1, column: offset - (lineStarts[line] ?? 0) }
  }
  const node = (type: string, { start, end }: Span, rest: object): object => ({
    type,
    raw: text.slice(start, end),
    range: [start, end],
    loc: { start: positionOf(start), end: positionOf(end) },
    ...rest,
  })
  const children = spans.map((span) => {
    const string = node('Str', span, { value: text.slice(span.start, span.end) })
    return span.isString ? node('Paragraph', span, { children: [string] }) : string
  })
  return node('Document', { start: 0, end: text.length }, { children }) as Parsed
}
