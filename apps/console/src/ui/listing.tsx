import type { ComponentChildren } from 'preact'
import type { Pages } from '../api/use-pages.ts'
import { Empty } from './empty.tsx'
import { Failure } from './failure.tsx'
import { More } from './more.tsx'
import { Spinner } from './spinner.tsx'

interface ListingProps<Page extends { nextCursor: string | null }, Item> {
  /** What it is a list of. */
  label: string
  pages: Pages<Page>
  items: (page: Page) => readonly Item[]
  /** What is said where there is nothing. */
  empty: { title: string; text: string }
  children: (item: Item) => ComponentChildren
}

/** A list of the API in each of its states: on its way, failed, empty, and what there is of it so far. */
export function Listing<Page extends { nextCursor: string | null }, Item>(props: ListingProps<Page, Item>) {
  const { label, pages, items, empty, children } = props
  const { data, error, isPending, refetch } = pages
  if (isPending) return <Spinner />
  if (data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  const all = data.pages.flatMap((page) => [...items(page)])
  return (
    <>
      {all.length > 0 && (
        <ul class="rows" aria-label={label}>
          {all.map(children)}
        </ul>
      )}
      {all.length === 0 && !pages.hasNextPage && <Empty {...empty} />}
      <More pages={pages} shown={all.length} />
    </>
  )
}
