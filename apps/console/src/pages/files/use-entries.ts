import { useSignal } from '@preact/signals'
import { useInfiniteQuery } from '@tanstack/preact-query'
import { listFiles } from '@tideport/sdk'
import { useMemo, useRef } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { type InSight, isStaleIn, itemsIn, pagesQuery, useRenewal } from '../../api/pages-query.ts'
import { queryClient } from '../../api/query-client.ts'
import type { PageProps } from '../page-props.ts'
import { type Entry, entriesOf } from './entries.ts'
import { filesKey, vaultQuery } from './file-queries.ts'
import { isFiltered, type Place, placeOf } from './place.ts'

type Pages = ReturnType<typeof useEntryPages>

export type EntryList = ReturnType<typeof useEntries>

/** Loads a place from its beginning and, for a long folder, also from its end, so that both ends load quickly. */
export function useEntries(vaultId: string, place: Place) {
  const inSight = useRef<ReadonlySet<string>>(new Set())
  // Reading the signal rerenders the list when a stale entry becomes visible.
  const isBehind = useSignal(false)
  isBehind.value
  const list = useEntryPages(vaultId, place, inSight)
  const isLong = !isFiltered(place) && list.hasNextPage
  const otherOrder = place.order === 'asc' ? 'desc' : 'asc'
  const end = useEntryPages(vaultId, { ...place, order: otherOrder }, inSight, isLong)
  const joined = useMemo(() => join(list, isLong ? end : null), [list.data, end.data, isLong])
  const { entries, gapAt, fromEnd } = joined
  return {
    list,
    entries,
    gapAt,
    hasMore: list.hasNextPage && (gapAt !== null || fromEnd === 0),
    /** The list whose next page failed; it is read again only on retry. */
    failed: [list, end].find(({ isFetchNextPageError }) => isFetchNextPageError) ?? null,
    more(fromEnd: boolean) {
      const pages = fromEnd ? end : list
      if (!pages.isFetching && !pages.isFetchNextPageError) void pages.fetchNextPage()
    },
    see(first: number, last: number) {
      inSight.current = new Set(entries.slice(first, last).map(({ key }) => key))
      isBehind.value = isStaleIn(list, { keyOf, inSight }) || isStaleIn(end, { keyOf, inSight })
    },
  }
}

const entriesIn = ({ data }: Pages): Entry[] => itemsIn(data?.pages ?? [], keyOf)

interface Joined {
  entries: readonly Entry[]
  /** The index before which entries are not loaded yet; null: none. */
  gapAt: number | null
  /** The number of entries that only the end list has. */
  fromEnd: number
}

/** The two lists are joined when they share an entry, or one of them is complete. */
function join(list: Pages, end: Pages | null): Joined {
  const first = entriesIn(list)
  if (end?.data === undefined) return { entries: first, gapAt: null, fromEnd: 0 }
  const last = entriesIn(end).reverse()
  if (!end.hasNextPage) return { entries: last, gapAt: null, fromEnd: last.length }
  const here = new Set(first.map(({ key }) => key))
  const others = last.filter(({ key }) => !here.has(key))
  const gapAt = others.length < last.length ? null : first.length
  return { entries: [...first, ...others], gapAt, fromEnd: others.length }
}

const keyOf = ({ key }: Entry): string => key

/** A folder or the results of a search, page by page from one end. */
function useEntryPages(vaultId: string, place: Place, inSight: InSight, enabled = true) {
  const pages = useInfiniteQuery({ ...entriesQuery(vaultId, place, inSight), enabled })
  useRenewal(pages, { keyOf, inSight })
  return pages
}

const entriesQuery = (vaultId: string, place: Place, inSight: InSight) =>
  pagesQuery({
    queryKey: [...filesKey(vaultId), place],
    read: ({ cursor, signal }) => askForPage(vaultId, place, cursor, signal),
    keyOf,
    // Renaming moves an entry.
    placeOf: ({ key, path }) => `${key} ${path}`,
    inSight,
  })

async function askForPage(vaultId: string, place: Place, cursor: string | undefined, signal: AbortSignal) {
  const { folder, search, labels, order } = place
  const by = isFiltered(place)
    ? ({ q: search || undefined, sortBy: 'name', order, ...filtersOf(labels) } as const)
    : ({ prefix: folder || undefined, delimiter: '/', sortBy: 'path', order } as const)
  const page = await listFiles(client(), { vaultId, limit: 100, cursor, ...by }, { signal }).page()
  return { items: entriesOf(page, order), nextCursor: page.nextCursor }
}

/** Query parameters: `tag`, and `meta.KEY` for each pair. */
function filtersOf(labels: readonly string[]): Record<string, string | string[]> {
  const tags = labels.filter((label) => !label.includes('='))
  const pairs = labels.filter((label) => label.includes('=')).map((label) => label.split(/=(.*)/s, 2))
  return {
    ...(tags.length > 0 && { tag: tags }),
    ...Object.fromEntries(pairs.map(([key, value = '']) => [`meta.${key}`, value])),
  }
}

export function askForVault({ vaultId = '' }: PageProps['params']): void {
  const entries = entriesQuery(vaultId, placeOf(location.search), { current: new Set() })
  void queryClient.prefetchQuery(vaultQuery(vaultId))
  void queryClient.prefetchInfiniteQuery(entries)
}
