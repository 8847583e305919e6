import { type RawBuilder, sql } from 'kysely'

/** As a range of the index of paths. */
export function isBelow(prefix: string): RawBuilder<unknown> {
  const end = endOf(prefix)
  return end === null ? sql`path >= ${prefix}` : sql`path >= ${prefix} and path < ${end}`
}

/** The first text that is behind all that begin with this one, by bytes, which are in the order of code points. */
export function endOf(prefix: string): string | null {
  const points = [...prefix]
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const next = (last.codePointAt(0) ?? 0) + 1
    // There are no characters between these.
    if (next <= 0x10ffff) return points.join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next)
  }
  return null
}
