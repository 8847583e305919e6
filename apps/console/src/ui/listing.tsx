import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Pages } from '../api/use-pages.ts'
import { Empty } from './empty.tsx'
import { Failure } from './loaded.tsx'
import { More } from './more.tsx'
import { Spinner } from './spinner.tsx'

interface ListingProps<Item extends { id: string }> {
  label: string
  pages: Pages<Item>
  isShown?: (item: Item) => boolean
  empty: { title: string; text: string }
  children: (item: Item) => ComponentChildren
}

export function Listing<Item extends { id: string }>(props: ListingProps<Item>) {
  const { label, pages, isShown, empty, children } = props
  const { list, items } = pages
  const shown = useMemo(() => (isShown === undefined ? items : items.filter(isShown)), [items])
  const rows = useSight(pages, shown)
  if (list.isPending) return <Spinner />
  if (list.data === undefined) return <Failure error={list.error} onRetry={() => void list.refetch()} />
  return (
    <>
      {shown.length > 0 && (
        <ul class="rows" aria-label={label} ref={rows}>
          {shown.map(children)}
        </ul>
      )}
      {shown.length === 0 && !list.hasNextPage && <Empty {...empty} />}
      <More list={list} shown={shown.length} />
    </>
  )
}

/** Reports the visible rows and the items that `isShown` hides. */
function useSight<Item extends { id: string }>({ items, see }: Pages<Item>, shown: readonly Item[]) {
  const rows = useRef<HTMLUListElement>(null)
  const tell = useRef(see)
  tell.current = see
  useEffect(() => {
    const itemOf = new Map([...(rows.current?.children ?? [])].map((row, index) => [row, shown[index] as Item]))
    const hidden = items.filter((item) => !shown.includes(item))
    const seen = new Set<Item>()
    const observer = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) {
        const item = itemOf.get(target) as Item
        if (isIntersecting) seen.add(item)
        else seen.delete(item)
      }
      tell.current([...seen, ...hidden])
    })
    for (const row of itemOf.keys()) observer.observe(row)
    return () => observer.disconnect()
  }, [shown])
  return rows
}
