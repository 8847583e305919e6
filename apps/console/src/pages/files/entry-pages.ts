import { type InfiniteData, infiniteQueryOptions, useInfiniteQuery } from '@tanstack/preact-query'
import { listFiles } from '@tideport/sdk'
import { useEffect } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { entriesOf } from './entries.ts'
import { filesKey } from './file-queries.ts'
import { isFiltered, type Place } from './place.ts'
import { type EntryPage, type PageAt, readNow, renewPage } from './renew-page.ts'

/** What of a list is in sight, by keys of entries; a list is rendered anew when that makes a difference to it. */
export interface InSight {
  current: ReadonlySet<string>
}

/** What was read longer ago is asked for again when there is an occasion. */
const freshMs = 10_000

type Pages = InfiniteData<EntryPage, string | undefined>

/**
 * A folder, or what a search finds in the whole vault, page by page from one of its ends. However many pages there are,
 * reading it anew asks for those in sight; the others are stale until they come there.
 */
export function useEntryPages(vaultId: string, place: Place, inSight: InSight, enabled = true) {
  const pages = useInfiniteQuery({ ...entriesQuery(vaultId, place, inSight), enabled })
  const { isFetching, isRefetchError, refetch } = pages
  const isBehind = isStaleIn(pages, inSight)
  useEffect(() => {
    if (isBehind && !isFetching && !isRefetchError) void refetch()
  }, [isBehind, isFetching, isRefetchError, refetch])
  return pages
}

export function entriesQuery(vaultId: string, place: Place, inSight: InSight) {
  const queryKey = [...filesKey(vaultId), place]
  return infiniteQueryOptions({
    queryKey,
    async queryFn({ pageParam, signal }): Promise<EntryPage> {
      const ask = (cursor: string | undefined) => askForPage(vaultId, place, cursor, signal)
      const state = queryClient.getQueryState<Pages>(queryKey)
      const known = knownPages(state?.data)
      if (known.length === 0 || state?.fetchMeta?.fetchMore) return { ...(await ask(pageParam)), ...readNow() }
      // The last one: of those before it nothing is left but their cursor.
      const index = known.findLastIndex(({ cursor }) => cursor === pageParam)
      const page = known[index]?.page
      // What follows is not known any more. It is read when somebody gets there.
      if (page === undefined) return { entries: [], nextCursor: pageParam ?? null, ...readNow() }
      const isStale = page.isStale || state?.isInvalidated === true || Date.now() - page.readAt > freshMs
      const isWanted = isSeen(page, inSight) || (index === 0 && page.entries.length === 0)
      return isStale && isWanted ? await renewPage(pageParam, known.slice(index + 1), ask) : { ...page, isStale }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
}

const isSeen = ({ entries }: EntryPage, { current }: InSight) => entries.some(({ key }) => current.has(key))

/** Whether something that may have changed is in sight. */
export const isStaleIn = ({ data }: { data: { pages: EntryPage[] } | undefined }, inSight: InSight): boolean =>
  data?.pages.some((page) => page.isStale && isSeen(page, inSight)) === true

const knownPages = (data: Pages | undefined): PageAt[] =>
  (data?.pages ?? []).map((page, index) => ({ cursor: data?.pageParams[index], page }))

async function askForPage(vaultId: string, place: Place, cursor: string | undefined, signal: AbortSignal) {
  const { folder, search, labels, order } = place
  const by = isFiltered(place)
    ? ({ q: search || undefined, sortBy: 'name', order, ...filtersOf(labels) } as const)
    : ({ prefix: folder || undefined, delimiter: '/', sortBy: 'path', order } as const)
  const page = await listFiles(client(), { vaultId, limit: 100, cursor, ...by }, { signal }).page()
  return { entries: entriesOf(page, order), nextCursor: page.nextCursor }
}

/** As lists of the API take them: `tag`, and `meta.KEY` for each pair. */
function filtersOf(labels: readonly string[]): Record<string, string | string[]> {
  const tags = labels.filter((label) => !label.includes('='))
  const pairs = labels.filter((label) => label.includes('=')).map((label) => label.split(/=(.*)/s, 2))
  return {
    ...(tags.length > 0 && { tag: tags }),
    ...Object.fromEntries(pairs.map(([key, value = '']) => [`meta.${key}`, value])),
  }
}
