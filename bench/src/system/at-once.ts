export async function ratePerSecond(
  { count, inFlight }: { count: number; inFlight: number },
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  let next = 0
  const startedAt = performance.now()
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  return (count / (performance.now() - startedAt)) * 1000
}
