/** Calls `ask` once for all callers within this time. They share the result, also a failure. */
export function cachedFor<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let askedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<T> | undefined
  return () => {
    const now = performance.now()
    if (answer === undefined || now - askedAt >= milliseconds) {
      askedAt = now
      answer = ask()
    }
    return answer
  }
}
