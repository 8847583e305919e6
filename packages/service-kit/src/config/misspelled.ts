type Environment = Readonly<Record<string, string | undefined>>

/** Reports variables that differ from a setting by a few letters, or lack its last words. */
export function misspelledSettings(env: Environment, known: readonly string[]): string[] {
  const read = new Set(known.flatMap((name) => [name, `${name}_FILE`]))
  const unread = Object.keys(env).filter((name) => env[name] && !read.has(name))
  return unread.flatMap((name) => {
    const meant = nearestTo(name.replace(/_FILE$/i, ''), known)
    return meant === undefined ? [] : [`${name}: unknown setting. Did you mean ${meant}?`]
  })
}

function nearestTo(name: string, known: readonly string[]): string | undefined {
  const spelled = name.toUpperCase().replaceAll(/[-.]/g, '_')
  const near = known.flatMap((candidate) => {
    const edits = editsBetween(spelled, candidate)
    return edits <= editsAllowed(candidate) ? [{ candidate, edits }] : []
  })
  const [nearest] = near.toSorted((a, b) => a.edits - b.edits)
  const cutOff = () => known.find((candidate) => spelled.includes('_') && candidate.startsWith(`${spelled}_`))
  return nearest?.candidate ?? cutOff()
}

/** Few enough that no setting matches another one, and `HOME` does not match `HOST`. */
const editsAllowed = ({ length }: string) => Math.min(3.5, Math.max(1, length / 4.2))

/** Letters added, dropped, or swapped with a neighbor; a replaced letter counts more (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return Number.POSITIVE_INFINITY
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const above = rows[i - 1] as number[]
      const replaced = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1.5)
      const least = Math.min(replaced, (above[j] as number) + 1, (row[j - 1] as number) + 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] && a[i - 1] !== b[j - 1]
      row[j] = isSwap ? Math.min(least, ((rows[i - 2] as number[])[j - 2] as number) + 1) : least
    }
    rows.push(row)
  }
  return rows[a.length]?.[b.length] ?? Number.POSITIVE_INFINITY
}
