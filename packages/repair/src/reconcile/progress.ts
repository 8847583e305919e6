/** Findings of a walk since its last report. */
export interface Progress<Finding> {
  counts: Record<string, number>
  findings: Finding[]
  /** The last file. Null: the walk is complete. */
  next: string | null
  /** Whether a walk that continues after `next` misses nothing. */
  isSettled: boolean
}

export function addCounts(to: Readonly<Record<string, number>>, more: Readonly<Record<string, number>>) {
  const sums: Record<string, number> = { ...to }
  for (const [word, count] of Object.entries(more)) sums[word] = (sums[word] ?? 0) + count
  return sums
}
