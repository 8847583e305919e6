import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

export interface Selection<T> {
  /** Those chosen, in the order of the list. */
  entries: readonly T[]
  has: (entry: T) => boolean
  /** With `toHere` all from the one toggled last. */
  toggle: (index: number, toHere: boolean) => void
  all: () => void
  clear: () => void
}

/** Which entries of a list are chosen; another place, and none is. */
export function useSelection<T>(entries: readonly T[], keyOf: (entry: T) => string, place: string): Selection<T> {
  const chosen = useSignal<ReadonlySet<string>>(new Set())
  const anchor = useSignal(0)
  // What is chosen is of one place.
  useEffect(() => {
    chosen.value = new Set()
  }, [place])
  return {
    entries: chosen.value.size === 0 ? [] : entries.filter((entry) => chosen.value.has(keyOf(entry))),
    has: (entry) => chosen.value.has(keyOf(entry)),
    toggle(index, toHere) {
      const next = new Set(chosen.value)
      if (toHere) {
        const [from, to] = [Math.min(anchor.value, index), Math.max(anchor.value, index)]
        for (const entry of entries.slice(from, to + 1)) next.add(keyOf(entry))
      } else {
        const entry = entries[index]
        if (entry !== undefined && !next.delete(keyOf(entry))) next.add(keyOf(entry))
        anchor.value = index
      }
      chosen.value = next
    },
    all() {
      chosen.value = new Set(entries.map(keyOf))
    },
    clear() {
      chosen.value = new Set()
    },
  }
}
