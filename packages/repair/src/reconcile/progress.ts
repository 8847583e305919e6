/** What a walk over all files found since it told last. */
export interface Progress<Finding> {
  /** How many, by a word. */
  counts: Record<string, number>
  findings: Finding[]
  /** The last file that was looked at; null: that was the last of all. */
  next: string | null
  /** Whether whoever goes on after `next` misses nothing. */
  isSettled: boolean
}

/** Adds counts to counts. */
export function addCounts(to: Readonly<Record<string, number>>, more: Readonly<Record<string, number>>) {
  const sums: Record<string, number> = { ...to }
  for (const [word, count] of Object.entries(more)) sums[word] = (sums[word] ?? 0) + count
  return sums
}
