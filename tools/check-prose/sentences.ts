import type { TextlintRuleModule } from '@textlint/kernel'
import { SentenceSplitterSyntax, split } from 'sentence-splitter'

const MOST_WORDS = 30

/** A word of code, such as `a b`, counts as one. */
const words = (sentence: string) => sentence.replaceAll(/`[^`]*`/g, 'code').match(/[\p{L}\p{N}][^\s]*/gu) ?? []
/** The text that a reader sees of a link. */
const visible = (text: string) => text.replaceAll(/\]\([^)]*\)/g, ']')

export const sentences: TextlintRuleModule = (context) => ({
  [context.Syntax.Paragraph](node) {
    for (const sentence of split(context.getSource(node)).filter(
      ({ type }) => type === SentenceSplitterSyntax.Sentence,
    )) {
      const { length } = words(visible(sentence.raw))
      if (length <= MOST_WORDS) continue
      const message = `A sentence of ${length} words: write at most ${MOST_WORDS}, better 25`
      context.report(node, new context.RuleError(message, { padding: context.locator.at(sentence.range[0]) }))
    }
  },
})
