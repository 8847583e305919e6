import type { ComponentChildren } from 'preact'
import { usePages } from '../../api/use-pages.ts'
import { Listing } from '../../ui/listing.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { type Ask, type Asked, useDialog } from '../../ui/use-dialog.tsx'
import { CommandButton } from './command-button.tsx'
import type { ListQuery } from './read-list.ts'
import { Tabs } from './tabs.tsx'

interface ResourcePageProps<Item extends { id: string }> {
  text: { title: string; lead: string; create?: string; empty: string; emptyText: string }
  query: ListQuery<Item>
  create?: () => Asked
  /** The pages that share this title: paths and labels. */
  tabs?: Readonly<Record<string, string>>
  filters?: ComponentChildren
  /** The row of an item. */
  children: (item: Item, ask: Ask, items: readonly Item[]) => ComponentChildren
}

export function ResourcePage<Item extends { id: string }>(props: ResourcePageProps<Item>) {
  const { text: t, query, create, tabs, filters, children } = props
  const { queryKey, read, ...options } = query
  // Read here, so that a row and the dialog about it are removed in one step.
  const pages = usePages(queryKey, read, options)
  const { dialog, ask } = useDialog()
  return (
    <>
      <PageHead title={t.title} lead={t.lead}>
        {create && <CommandButton look="main" keys="n" label={t.create ?? ''} run={() => ask(create())} />}
      </PageHead>
      {tabs && <Tabs label={t.title} tabs={tabs} />}
      {filters && <div class="filters">{filters}</div>}
      <Listing label={t.title} pages={pages} empty={{ title: t.empty, text: t.emptyText }}>
        {(item) => children(item, ask, pages.items)}
      </Listing>
      {dialog}
    </>
  )
}
