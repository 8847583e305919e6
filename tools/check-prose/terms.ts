import type { TextlintRuleModule } from '@textlint/kernel'

/** Terms that the product does not use, and what replaces them. */
const replacements: [term: string, replacement: string][] = [
  ['whoever|whosoever', 'the caller, a client, the user'],
  ['besides?', 'alongside, next to, in addition'],
  ['anew', 'again, or re-create, rebuild'],
  ['by (?:itself|themselves)', 'automatically, or alone'],
  ['for good', 'permanently'],
  ['(?:goes|go|going|went|gone) on(?! (?:the|a|an|each|every|one|line|stack|top|disk) )', 'continue'],
  ['(?:given|gives?|giving) up', 'fail permanently, dead-letter, stop'],
  ['(?:throws?|thrown|throwing|threw) away', 'move to trash, delete, discard'],
  ['mend(?:s|ed|ing)?(?!\\))', 'repair, fix'],
  ['(?:puts?|putting) right', 'repair, correct'],
  ['strangers?', 'an unauthenticated user, another account'],
  ['of (?:its|their) kind', 'similar'],
  ['in place of', 'instead of'],
  ['(?:takes?|taken|took|taking) back', 'revoke, undo, restore'],
  ['(?:brings?|brought|bringing) back', 'restore'],
  ['(?:takes?|taking|took) turns', 'serialize, alternate'],
  ['that there (?:is|are) not', 'unknown, missing'],
  ['and the like', 'and similar'],
  ['as was said|it is said', 'nothing'],
]
const term = new RegExp(`\\b(?:${replacements.map(([pattern]) => `(${pattern})`).join('|')})\\b`, 'gi')

export const terms: TextlintRuleModule = (context) => ({
  [context.Syntax.Str](node) {
    // Names in backticks are code.
    const text = context.getSource(node).replaceAll(/`[^`\n]*`/g, (code) => ' '.repeat(code.length))
    for (const match of text.matchAll(term)) {
      const place = match.slice(1).findIndex((found) => found !== undefined)
      const message = `"${match[0]}": use ${replacements[place]?.[1]}`
      context.report(node, new context.RuleError(message, { padding: context.locator.at(match.index) }))
    }
  },
})
