const AT_ONCE = 8

/** Runs `work` for each item, a few at a time, in no order. After the first failure, no further item starts. */
export async function inParallel<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]()
  let failed = false
  const workOn = async () => {
    for (let next = left.next(); !next.done && !failed; next = left.next()) {
      try {
        await work(next.value)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, workOn))
  const failure = ended.find((end) => end.status === 'rejected')
  if (failure) throw failure.reason
}
