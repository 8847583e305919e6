/** Metadata as lines of `key: value`; what follows the colon and a space is the value, as it is. */
export function writePairs(metadata: Readonly<Record<string, string>>): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key}: ${value}`)
    .join('\n')
}

/** Null: a line is no pair. */
export function readPairs(lines: string): Record<string, string> | null {
  const pairs: [string, string][] = []
  for (const line of lines.split(/\r?\n/).filter((one) => one.trim() !== '')) {
    const [, key, value] = /^\s*([^:\s]+)\s*: ?(.*)$/.exec(line) ?? []
    if (key === undefined || value === undefined) return null
    pairs.push([key, value])
  }
  return Object.fromEntries(pairs)
}

/** What makes `before` into `after`, as the API takes it: null removes a pair. */
export function patchOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  const changed = Object.entries(after).filter(([key, value]) => before[key] !== value)
  return Object.fromEntries([...removed.map((key) => [key, null] as const), ...changed])
}
