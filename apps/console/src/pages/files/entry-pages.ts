import { useInfiniteQuery } from '@tanstack/preact-query'
import { listFiles } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { type InSight, pagesQuery, useRenewal } from '../../api/pages-query.ts'
import { queryClient } from '../../api/query-client.ts'
import type { PageProps } from '../page-props.ts'
import { type Entry, entriesOf } from './entries.ts'
import { filesKey, vaultQuery } from './file-queries.ts'
import { isFiltered, type Place, placeOf } from './place.ts'

export const keyOf = ({ key }: Entry): string => key

/** A folder or the results of a search, page by page from one end. */
export function useEntryPages(vaultId: string, place: Place, inSight: InSight, enabled = true) {
  const pages = useInfiniteQuery({ ...entriesQuery(vaultId, place, inSight), enabled })
  useRenewal(pages, { keyOf, inSight })
  return pages
}

export const entriesQuery = (vaultId: string, place: Place, inSight: InSight) =>
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
