export function closest(typed: string, words: Iterable<string>): string | null {
  const most = typed.length < 4 ? 1 : typed.length < 8 ? 2 : 3
  const near = [...new Set(words)]
    .map((word) => ({ word, edits: editsBetween(typed.toLowerCase(), word) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((a, b) => a.edits - b.edits)
  return near[0]?.word ?? null
}

export function suggestion(typed: string, words: Iterable<string>): string {
  const word = closest(typed, words)
  return word === null ? '' : `. Did you mean "${word}"?`
}

/** Number of added, removed, and replaced letters, and of swapped neighbors. */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return Number.POSITIVE_INFINITY
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const edits = [cell(row, j - 1) + 1, cell(last, j) + 1, cell(last, j - 1) + (isSame ? 0 : 1)]
      row.push(Math.min(...edits, isSwapped ? cell(before, j - 2) + 1 : Number.POSITIVE_INFINITY))
    }
    before = last
    last = row
  }
  return cell(last, b.length)
}

const cell = (row: readonly number[], at: number): number => row[at] ?? Number.POSITIVE_INFINITY
