import { AsyncLocalStorage } from 'node:async_hooks'

/** Runs the first work immediately and later work together every `ms`, each in its own context. No work may throw. */
export function inBursts(ms: number): (work: () => void) => void {
  let gathered: (() => void)[] | undefined

  function burst(): void {
    const works = gathered ?? []
    gathered = works.length > 0 ? [] : undefined
    if (works.length > 0) setTimeout(burst, ms).unref()
    for (const work of works) work()
  }

  return (work) => {
    if (gathered !== undefined) return void gathered.push(AsyncLocalStorage.bind(work))
    gathered = [work]
    burst()
  }
}
