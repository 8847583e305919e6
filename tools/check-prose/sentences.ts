import type { TextlintRuleModule } from '@textlint/kernel'
import { SentenceSplitterSyntax, split } from 'sentence-splitter'

const MOST_WORDS = 30

const words = (sentence: string) => sentence.match(/[\p{L}\p{N}][^\s]*/gu) ?? []
/** Replaces code by one word and a link by its text, at the same length. */
const visible = (text: string) =>
  text
    .replaceAll(/`[^`]*`/g, (code) => 'x'.repeat(code.length))
    .replaceAll(/\]\([^)]*\)/g, (target) => `]${' '.repeat(target.length - 1)}`)

export const sentences: TextlintRuleModule = (context) => ({
  [context.Syntax.Paragraph](node) {
    for (const sentence of split(visible(context.getSource(node))).filter(
      ({ type }) => type === SentenceSplitterSyntax.Sentence,
    )) {
      const { length } = words(sentence.raw)
      if (length <= MOST_WORDS) continue
      const message = `A sentence of ${length} words: write at most ${MOST_WORDS}, better 25`
      context.report(node, new context.RuleError(message, { padding: context.locator.at(sentence.range[0]) }))
    }
  },
})
