/** Runs `work` for each item, at most eight at a time. */
export async function forEach<T>(items: IterableIterator<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const next = async () => {
    for (const item of items) await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, next))
}
