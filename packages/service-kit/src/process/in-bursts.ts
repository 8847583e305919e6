import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Does what it is given, each in the context it was given in: the first at once, what comes within `ms` of that together
 * then, and so on. For what costs most because it wakes somebody each time. None may throw.
 */
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
