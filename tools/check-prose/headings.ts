import type { TextlintRuleModule } from '@textlint/kernel'

/** A heading names a thing or a task: "Restore one purged file", not "What was deleted". */
const vague = /^(?:What|Whatever|Which|Where|Of|There|That|Those|Who|How (?:much|many|long|large))\b/

export const headings: TextlintRuleModule = (context) => ({
  [context.Syntax.Header](node) {
    const text = context.getSource(node).replace(/^#+\s*/, '')
    if (vague.test(text)) context.report(node, new context.RuleError('A heading starts with a noun or a verb'))
    if (/[.:]$/.test(text)) context.report(node, new context.RuleError('A heading has no full stop or colon'))
  },
})
