/** Items of a list in its order, from one cursor to the next. */
export interface ListPage<Item> {
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
export const readNow = () => ({ readAt: Date.now(), isStale: false })
