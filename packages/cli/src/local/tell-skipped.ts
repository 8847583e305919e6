import { formatCount } from '../terminal/amounts.ts'
import type { Output } from '../terminal/output.ts'
import type { Skipped } from './walk-files.ts'

const NAMED_MAX = 20

export const verboseOption = {
  type: 'boolean',
  summary: `List every skipped file, not only the first ${NAMED_MAX}`,
} as const

export async function tellSkipped(output: Output, skipped: readonly Skipped[], verbose: boolean): Promise<void> {
  if (output.json) {
    for (const { path, kind } of skipped) await output.result({ action: 'skip', path, reason: kind }, '')
    return
  }
  if (skipped.length === 0) return
  const named = verbose ? skipped : skipped.slice(0, NAMED_MAX)
  const more = skipped.length - named.length
  const lines = named.map(({ path }) => `  ${path}`)
  const rest = more > 0 ? [`  and ${more.toLocaleString('en')} more. Use --verbose to list all`] : []
  output.remark([`Skipped ${countsOf(skipped)}:`, ...lines, ...rest])
}

function countsOf(skipped: readonly Skipped[]): string {
  const counts = new Map<string, number>()
  for (const { kind } of skipped) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, count]) => formatCount(count, kind)).join(', ')
}
