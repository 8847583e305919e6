import type { Entry } from './entries.ts'

/** Entries of a list in its order, from one cursor to the next. */
export interface EntryPage {
  entries: readonly Entry[]
  nextCursor: string | null
  /** As `Date.now` has it. */
  readAt: number
  /** Something may have changed since; it is read again once it is in sight. */
  isStale: boolean
}

export interface PageAt {
  cursor: string | undefined
  page: EntryPage
}

/** As often is asked for one page, so that it grows by what came; after more than that, what follows is read anew too. */
const asksMax = 3

/**
 * Reads a page again so that it ends where one of the pages that were read behind it begins: what came is in it, what
 * went is not, and those behind it stay as they are.
 */
export async function renewPage(
  cursor: string | undefined,
  behind: readonly PageAt[],
  ask: (cursor: string | undefined) => Promise<Pick<EntryPage, 'entries' | 'nextCursor'>>,
): Promise<EntryPage> {
  const begins = new Map(behind.flatMap(({ cursor, page }) => page.entries.map((entry) => [placeOf(entry), cursor])))
  const entries: Entry[] = []
  let next: string | null | undefined = cursor
  for (let asked = 0; asked < asksMax && next !== null; asked++) {
    const page = await ask(next)
    for (const entry of page.entries) {
      const known = begins.get(placeOf(entry))
      if (known !== undefined) return { entries, nextCursor: known, ...readNow() }
      entries.push(entry)
    }
    next = page.nextCursor
    if (behind.length === 0 || next === behind[0]?.cursor) break
  }
  return { entries, nextCursor: next ?? null, ...readNow() }
}

/** What is said of a page that was read just now. */
export const readNow = () => ({ readAt: Date.now(), isStale: false })

/** One that was moved is elsewhere in the order. */
const placeOf = ({ key, path }: Entry): string => `${key} ${path}`
