import { text } from './text.ts'

/**
 * A sentence of the service as it is said to whoever reads it: by the one of these that it fits, of which `{}` stands for
 * anything, and the most exact of those. As it was said where none does: a newer service has sentences that are new.
 */
export function sayRefusal(sentence: string, refusals = text.value.refusals): string {
  if (Object.hasOwn(refusals, sentence)) return refusals[sentence] as string
  const [best] = Object.keys(refusals)
    .flatMap((pattern) => fit(pattern, sentence) ?? [])
    .toSorted((a, b) => b.pattern.length - a.pattern.length)
  if (best === undefined) return sentence
  let index = 0
  return (refusals[best.pattern] as string).replaceAll('{}', () => sayRefusal(best.parts[index++] ?? '', refusals))
}

function fit(pattern: string, sentence: string): { pattern: string; parts: string[] } | undefined {
  if (!pattern.includes('{}')) return undefined
  const source = pattern.split('{}').map(literally).join('(.*)')
  const found = new RegExp(`^${source}$`, 's').exec(sentence)
  return found === null ? undefined : { pattern, parts: found.slice(1) }
}

const literally = (literal: string): string => literal.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
