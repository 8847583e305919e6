import type { ComponentChildren } from 'preact'
import { Link, useLocation } from 'wouter-preact'
import { usePages } from '../../api/use-pages.ts'
import { text } from '../../text/text.ts'
import { Listing } from '../../ui/listing.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { type Ask, type Asked, useDialog } from '../../ui/use-dialog.tsx'
import { CommandButton } from './command-button.tsx'
import type { ListQuery } from './read-list.ts'

interface ResourcePageProps<Item extends { id: string }> {
  /** Key of the page's title. */
  name: keyof typeof text.value.nav
  text: { lead: string; create?: string; empty: string; emptyText: string }
  query: ListQuery<Item>
  create?: () => Asked
  /** Paths and labels of the pages with this title. */
  tabs?: Readonly<Record<string, string>>
  filters?: ComponentChildren
  children: (item: Item, ask: Ask, items: readonly Item[]) => ComponentChildren
}

export function ResourcePage<Item extends { id: string }>(props: ResourcePageProps<Item>) {
  const { name, text: t, query, create, tabs, filters, children } = props
  const title = text.value.nav[name]
  const { queryKey, read, ...options } = query
  // Read here, so that a row and its dialog are removed in one step.
  const pages = usePages(queryKey, read, options)
  const { dialog, ask } = useDialog()
  return (
    <>
      <PageHead title={title} lead={t.lead}>
        {create && <CommandButton look="main" keys="n" label={t.create ?? ''} run={() => ask(create())} />}
      </PageHead>
      {tabs && <Tabs label={title} tabs={tabs} />}
      {filters && <div class="filters">{filters}</div>}
      <Listing label={title} pages={pages} empty={{ title: t.empty, text: t.emptyText }}>
        {(item) => children(item, ask, pages.items)}
      </Listing>
      {dialog}
    </>
  )
}

export function Tabs({ label, tabs }: { label: string; tabs: Readonly<Record<string, string>> }) {
  const [location] = useLocation()
  return (
    <nav class="tabs" aria-label={label}>
      {Object.entries(tabs).map(([path, name]) => (
        <Link key={path} href={path} class="bar-page" aria-current={location === path ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
