import { type InfiniteData, infiniteQueryOptions, type QueryKey } from '@tanstack/preact-query'
import { ProtocolError } from '@tideport/sdk'
import { useEffect } from 'preact/hooks'
import { queryClient } from './query-client.ts'

export interface InSight {
  current: ReadonlySet<string>
}

export interface ListToRead<Item> {
  queryKey: QueryKey
  read: (options: {
    cursor: string | undefined
    signal: AbortSignal
  }) => Promise<Pick<ListPage<Item>, 'items' | 'nextCursor'>>
  keyOf: (item: Item) => string
  /** Identifies an item and its position. Defaults to its key, for items that never move. */
  placeOf?: (item: Item) => string
  inSight: InSight
  /** Age in milliseconds from which data is stale. */
  freshMs?: number
}

type Data<Item> = InfiniteData<ListPage<Item>, string | undefined>

/**
 * A list of the API, page by page. A refetch requests only the visible pages; the others stay stale until they are
 * visible.
 */
export function pagesQuery<Item>(list: ListToRead<Item>) {
  const { queryKey, read, keyOf, placeOf = keyOf, inSight, freshMs = 10_000 } = list
  return infiniteQueryOptions({
    queryKey,
    async queryFn({ pageParam, signal }): Promise<ListPage<Item>> {
      const ask = (cursor: string | undefined) => read({ cursor, signal })
      const state = queryClient.getQueryState<Data<Item>>(queryKey)
      const known = knownPages(state?.data)
      if (known.length === 0 || state?.fetchMeta?.fetchMore)
        return leadingOn({ ...(await ask(pageParam)), ...readNow() }, known)
      // The last page with this cursor: empty pages before it share the cursor.
      const index = known.findLastIndex(({ cursor }) => cursor === pageParam)
      const page = known[index]?.page
      // The following page is unknown now and is read when the user scrolls there.
      if (page === undefined) return { items: [], nextCursor: pageParam ?? null, ...readNow() }
      const isStale = page.isStale || state?.isInvalidated === true || Date.now() - page.readAt >= freshMs
      const isFirst = index === 0 && (page.items.length === 0 || inSight.current.size === 0)
      return isStale && (isFirst || isSeen(page, list))
        ? await renewPage(pageParam, known.slice(index + 1), ask, placeOf)
        : { ...page, isStale }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
}

/** Throws when the service returns a cursor again, which would make the list endless. */
export function leadingOn<Page extends { nextCursor: string | null }>(
  page: Page,
  before: readonly { cursor: string | undefined }[],
): Page {
  if (page.nextCursor !== null && before.some(({ cursor }) => cursor === page.nextCursor)) {
    throw new ProtocolError('The cursors of the list repeat')
  }
  return page
}

type Sight<Item> = Pick<ListToRead<Item>, 'keyOf' | 'inSight'>

const isSeen = <Item>({ items }: ListPage<Item>, { keyOf, inSight }: Sight<Item>) =>
  items.some((item) => inSight.current.has(keyOf(item)))

export const isStaleIn = <Item>(
  { data }: { data: { pages: ListPage<Item>[] } | undefined },
  sight: Sight<Item>,
): boolean => data?.pages.some((page) => page.isStale && isSeen(page, sight)) === true

/** Refetches stale visible pages on each render. */
export function useRenewal<Item>(
  pages: {
    data: { pages: ListPage<Item>[] } | undefined
    isFetching: boolean
    isRefetchError: boolean
    refetch: () => Promise<unknown>
  },
  sight: Sight<Item>,
): void {
  const { isFetching, isRefetchError, refetch } = pages
  const isBehind = isStaleIn(pages, sight)
  useEffect(() => {
    if (isBehind && !isFetching && !isRefetchError) void refetch()
  }, [isBehind, isFetching, isRefetchError, refetch])
}

/** Removes duplicates: a moved item can also be in a page that was not read again. */
export function itemsIn<Item>(pages: readonly ListPage<Item>[], keyOf: (item: Item) => string): Item[] {
  const byKey = new Map<string, Item>()
  for (const { items } of pages) for (const item of items) if (!byKey.has(keyOf(item))) byKey.set(keyOf(item), item)
  return [...byKey.values()]
}

const knownPages = <Item>(data: Data<Item> | undefined): PageAt<Item>[] =>
  (data?.pages ?? []).map((page, index) => ({ cursor: data?.pageParams[index], page }))

interface ListPage<Item> {
  items: readonly Item[]
  nextCursor: string | null
  /** In milliseconds since the epoch. */
  readAt: number
  /** The page is read again when it is visible. */
  isStale: boolean
}

export interface PageAt<Item> {
  cursor: string | undefined
  page: ListPage<Item>
}

/** The maximum number of requests for one page that has grown. Beyond that, the following pages are read again too. */
const asksMax = 3

/** Reads a page again up to the item at which a known later page begins. Later pages can then stay as they are. */
export async function renewPage<Item>(
  cursor: string | undefined,
  behind: readonly PageAt<Item>[],
  ask: (cursor: string | undefined) => Promise<Pick<ListPage<Item>, 'items' | 'nextCursor'>>,
  placeOf: (item: Item) => string,
): Promise<ListPage<Item>> {
  const begins = new Map(behind.flatMap(({ cursor, page }) => page.items.map((item) => [placeOf(item), cursor])))
  const items: Item[] = []
  let next: string | null | undefined = cursor
  for (let asked = 0; asked < asksMax && next !== null; asked++) {
    const page = await ask(next)
    for (const item of page.items) {
      const known = begins.get(placeOf(item))
      if (known !== undefined) return { items, nextCursor: known, ...readNow() }
      items.push(item)
    }
    next = page.nextCursor
    if (behind.length === 0 || next === behind[0]?.cursor) break
  }
  return { items, nextCursor: next ?? null, ...readNow() }
}

const readNow = () => ({ readAt: Date.now(), isStale: false })
