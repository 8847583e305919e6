export interface Variant {
  name: string
  /** Runs the task once and returns its duration or amount. The caller knows the unit. */
  run(): Promise<number>
}

/** Alternates the variants, so other load affects all equally. Ratios to the first are medians of the rounds. */
export async function compare(variants: readonly Variant[], rounds: number): Promise<Comparison[]> {
  const figures = variants.map((): number[] => [])
  for (const { run } of variants) await run()
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { run }] of variants.entries()) figures[index]?.push(await run())
  }
  const [base = []] = figures
  return variants.map(({ name }, index) => {
    const own = figures[index] ?? []
    return {
      name,
      median: median(own),
      worst: Math.max(...own),
      ratio: median(own.map((figure, round) => figure / (base[round] ?? 1))),
    }
  })
}

export interface Comparison {
  name: string
  median: number
  worst: number
  ratio: number
}

export function median(figures: number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

export function print(title: string, unit: string, comparisons: readonly Comparison[]): void {
  console.log(`\n${title}`)
  for (const { name, median, worst, ratio } of comparisons) {
    console.log(
      `  ${name.padEnd(44)} ${median.toFixed(2).padStart(10)} ${unit}   x ${ratio.toFixed(2).padEnd(8)} worst ${worst.toFixed(1)}`,
    )
  }
}
