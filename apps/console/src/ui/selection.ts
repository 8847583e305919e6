import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

export type Selection<T> = ReturnType<typeof useSelection<T>>

export function useSelection<T>(entries: readonly T[], keyOf: (entry: T) => string, place: string) {
  const chosen = useSignal<ReadonlySet<string>>(new Set())
  const isWhole = useSignal(false)
  const anchor = useSignal(0)
  useEffect(() => {
    chosen.value = new Set()
    isWhole.value = false
  }, [place])
  const isChosen = (entry: T) => isWhole.value || chosen.value.has(keyOf(entry))
  return {
    isWhole: isWhole.value,
    entries: isWhole.value
      ? entries
      : chosen.value.size === 0
        ? []
        : entries.filter((entry) => chosen.value.has(keyOf(entry))),
    has: isChosen,
    /** `toHere` extends the selection from the last toggled entry. */
    toggle(index: number, toHere: boolean) {
      const next = new Set(isWhole.value ? entries.map(keyOf) : chosen.value)
      isWhole.value = false
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
    /** `whole` includes entries that are not loaded. */
    all(whole: boolean) {
      isWhole.value = whole
      chosen.value = new Set(whole ? [] : entries.map(keyOf))
    },
    clear() {
      isWhole.value = false
      chosen.value = new Set()
    },
  }
}
