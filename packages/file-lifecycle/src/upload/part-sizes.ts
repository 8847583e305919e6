/**
 * Sizes of parts as the column `part_sizes` has them: pairs of a number of parts and their size, in order. Ten thousand
 * parts of one size are two numbers, so rows stay small.
 */
export type PartSizes = readonly number[]

export function packSizes(sizes: readonly number[]): number[] {
  const runs: [count: number, sizeBytes: number][] = []
  for (const sizeBytes of sizes) {
    const last = runs.at(-1)
    if (last?.[1] === sizeBytes) last[0] += 1
    else runs.push([1, sizeBytes])
  }
  return runs.flat()
}

/** Null: the file did not come in parts, or its parts are unknown. */
export function countParts(sizes: PartSizes | null): number | null {
  return sizes && runsOf(sizes).reduce((count, run) => count + run.count, 0)
}

/** Where a part is in the file. Null: the file has no such part. The end is exclusive. */
export function rangeOfPart(
  { partSizes, sizeBytes }: { partSizes: PartSizes | null; sizeBytes: number },
  partNumber: number,
): { start: number; end: number } | null {
  if (partSizes === null) return partNumber === 1 ? { start: 0, end: sizeBytes } : null
  let left = partNumber - 1
  let start = 0
  for (const run of runsOf(partSizes)) {
    if (left < run.count) {
      const at = start + left * run.sizeBytes
      return { start: at, end: at + run.sizeBytes }
    }
    left -= run.count
    start += run.count * run.sizeBytes
  }
  return null
}

function runsOf(sizes: PartSizes): { count: number; sizeBytes: number }[] {
  return Array.from({ length: sizes.length / 2 }, (_, at) => ({
    count: sizes[2 * at] ?? 0,
    sizeBytes: sizes[2 * at + 1] ?? 0,
  }))
}
