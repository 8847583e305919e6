import { useMemo } from 'preact/hooks'
import type { Entry } from './entries.ts'
import { useEntryPages } from './file-queries.ts'
import { isFiltered, type Place } from './place.ts'

type Pages = ReturnType<typeof useEntryPages>

export interface EntryList {
  list: Pages
  entries: readonly Entry[]
  /** Before which entry there are others that are not here yet; null: nowhere. */
  gapAt: number | null
  hasMore: boolean
  /** Asks for more behind what is there, or with `fromEnd` before what is there of the end. */
  more: (fromEnd: boolean) => void
}

/**
 * What a place has, as far as it is here: pages from its beginning and, of a folder of more than one, from its end as well,
 * so that neither is far however many entries lie between.
 */
export function useEntries(vaultId: string, place: Place): EntryList {
  const list = useEntryPages(vaultId, place)
  const isLong = !isFiltered(place) && list.hasNextPage
  const end = useEntryPages(vaultId, { ...place, order: place.order === 'asc' ? 'desc' : 'asc' }, isLong)
  const { entries, gapAt } = useMemo(() => join(list, isLong ? end : null), [list.data, end.data, isLong])
  return {
    list,
    entries,
    gapAt,
    hasMore: list.hasNextPage && (gapAt !== null || entries.length === countOf(list)),
    more(fromEnd) {
      const pages = fromEnd ? end : list
      if (!pages.isFetching) void pages.fetchNextPage()
    },
  }
}

const entriesIn = ({ data }: Pages): Entry[] => data?.pages.flatMap(({ entries }) => entries) ?? []
const countOf = ({ data }: Pages): number => data?.pages.reduce((sum, { entries }) => sum + entries.length, 0) ?? 0

/** Beginning and end become one as soon as they share an entry, or one of them is all. */
function join(list: Pages, end: Pages | null): { entries: readonly Entry[]; gapAt: number | null } {
  const first = entriesIn(list)
  if (end?.data === undefined) return { entries: first, gapAt: null }
  const last = entriesIn(end).reverse()
  if (!end.hasNextPage) return { entries: last, gapAt: null }
  const here = new Set(first.map(({ key }) => key))
  const others = last.filter(({ key }) => !here.has(key))
  return { entries: [...first, ...others], gapAt: others.length < last.length ? null : first.length }
}
