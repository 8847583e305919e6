import { useSignal } from '@preact/signals'
import { type QueryKey, useInfiniteQuery } from '@tanstack/preact-query'
import { useMemo, useRef } from 'preact/hooks'
import { isStaleIn, itemsIn, type ListToRead, pagesQuery, useRenewal } from './pages-query.ts'

interface Options<Item> {
  keyOf?: (item: Item) => string
  everyMs?: (items: readonly Item[]) => number | false
}

type Read<Item> = ListToRead<Item>['read']

export function usePages<Item extends { id: string }>(
  queryKey: QueryKey,
  read: Read<Item>,
  { keyOf = ({ id }) => id, everyMs }: Options<Item> = {},
) {
  const inSight = useRef<ReadonlySet<string>>(new Set())
  // Reading the signal rerenders the list when a stale item becomes visible.
  const isBehind = useSignal(false)
  isBehind.value
  const sight = { keyOf, inSight }
  const list = useInfiniteQuery({
    ...pagesQuery({ ...sight, queryKey, read, ...(everyMs && { freshMs: 0 }) }),
    refetchInterval: ({ state: { data } }) => everyMs?.(itemsIn(data?.pages ?? [], keyOf)) ?? false,
  })
  useRenewal(list, sight)
  const items = useMemo(() => itemsIn(list.data?.pages ?? [], keyOf), [list.data])
  return {
    list,
    items,
    keyOf,
    /** Sets the visible items, which are kept up to date. */
    see(seen: readonly Item[]) {
      inSight.current = new Set(seen.map(keyOf))
      isBehind.value = isStaleIn(list, sight)
    },
  }
}

export const firstPages = <Item extends { id: string }>(queryKey: QueryKey, read: Read<Item>) =>
  pagesQuery({ queryKey, read, keyOf: ({ id }) => id, inSight: { current: new Set() } })

export type Pages<Item extends { id: string }> = ReturnType<typeof usePages<Item>>
