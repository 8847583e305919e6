/** If a start fails, disposes of those that succeeded. */
export async function startAll<T extends AsyncDisposable>(starts: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(starts)
  const failure = results.find((result) => result.status === 'rejected')
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  if (failure === undefined) return started
  await Promise.all(started.map((one) => one[Symbol.asyncDispose]()))
  throw failure.reason
}
