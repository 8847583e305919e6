import { type InfiniteData, infiniteQueryOptions, type QueryKey } from '@tanstack/preact-query'
import { ProtocolError } from '@tideport/sdk'
import { useEffect } from 'preact/hooks'
import { queryClient } from './query-client.ts'

/** What of a list is in sight, by keys of items. */
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
  /** What tells an item and its place in the list; its key, where items do not move. */
  placeOf?: (item: Item) => string
  inSight: InSight
  /** What was read longer ago is asked for again when there is an occasion. */
  freshMs?: number
}

type Data<Item> = InfiniteData<ListPage<Item>, string | undefined>

/**
 * A list of the API, page after page as its cursors lead. However many pages there are, reading it anew asks for those in
 * sight; the others are stale until they come there.
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
      // The last one: of those before it nothing is left but their cursor.
      const index = known.findLastIndex(({ cursor }) => cursor === pageParam)
      const page = known[index]?.page
      // What follows is not known any more. It is read when somebody gets there.
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

/** The page. Throws where the service leads back to a page that it sent before: the list would never end. */
export function leadingOn<Page extends { nextCursor: string | null }>(
  page: Page,
  before: readonly { cursor: string | undefined }[],
): Page {
  if (page.nextCursor !== null && before.some(({ cursor }) => cursor === page.nextCursor)) {
    throw new ProtocolError('The list goes round in circles')
  }
  return page
}

type Sight<Item> = Pick<ListToRead<Item>, 'keyOf' | 'inSight'>

const isSeen = <Item>({ items }: ListPage<Item>, { keyOf, inSight }: Sight<Item>) =>
  items.some((item) => inSight.current.has(keyOf(item)))

/** Whether something that may have changed is in sight. */
export const isStaleIn = <Item>(
  { data }: { data: { pages: ListPage<Item>[] } | undefined },
  sight: Sight<Item>,
): boolean => data?.pages.some((page) => page.isStale && isSeen(page, sight)) === true

/** Reads anew what is stale and in sight whenever the list is rendered. */
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

/** Each once: one that was moved may be in a page that is not in sight, too, as it was. */
export function itemsIn<Item>(pages: readonly ListPage<Item>[], keyOf: (item: Item) => string): Item[] {
  const byKey = new Map<string, Item>()
  for (const { items } of pages) for (const item of items) if (!byKey.has(keyOf(item))) byKey.set(keyOf(item), item)
  return [...byKey.values()]
}

const knownPages = <Item>(data: Data<Item> | undefined): PageAt<Item>[] =>
  (data?.pages ?? []).map((page, index) => ({ cursor: data?.pageParams[index], page }))

/** Items of a list in its order, from one cursor to the next. */
interface ListPage<Item> {
  items: readonly Item[]
  nextCursor: string | null
  /** As `Date.now` has it. */
  readAt: number
  /** Something may have changed since; it is read again once it is in sight. */
  isStale: boolean
}

export interface PageAt<Item> {
  cursor: string | undefined
  page: ListPage<Item>
}

/** As often is asked for one page, so that it grows by what came; after more than that, what follows is read anew too. */
const asksMax = 3

/**
 * Reads a page again so that it ends where one of the pages that were read behind it begins: what came is in it, what
 * went is not, and those behind it stay as they are. `placeOf` tells an item by what it is and where.
 */
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

/** What is said of a page that was read just now. */
const readNow = () => ({ readAt: Date.now(), isStale: false })
