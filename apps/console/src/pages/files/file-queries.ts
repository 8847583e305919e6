import { useInfiniteQuery, useQuery } from '@tanstack/preact-query'
import { listFiles, readVault } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { entriesOf } from './entries.ts'
import { isFiltered, type Place } from './place.ts'

export const filesKey = (vaultId: string) => ['files', vaultId] as const

export function useVault(vaultId: string) {
  return useQuery({
    queryKey: ['vaults', vaultId],
    queryFn: ({ signal }) => readVault(client(), { vaultId }, { signal }),
  })
}

/** A folder, or what a search finds in the whole vault, page by page from one of its ends. */
export function useEntryPages(vaultId: string, place: Place, enabled = true) {
  const { folder, search, labels, order } = place
  return useInfiniteQuery({
    queryKey: [...filesKey(vaultId), place],
    queryFn: async ({ pageParam, signal }) => {
      const by = isFiltered(place)
        ? ({ q: search || undefined, sortBy: 'name', order, ...filtersOf(labels) } as const)
        : ({ prefix: folder || undefined, delimiter: '/', sortBy: 'path', order } as const)
      const input = { vaultId, limit: 100, cursor: pageParam, ...by }
      const page = await listFiles(client(), input, { signal }).page()
      return { entries: entriesOf(page, order), nextCursor: page.nextCursor }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    enabled,
  })
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

/** Lists of the vault are read anew, and how much is in it. */
export function refreshFiles(vaultId: string): void {
  void queryClient.invalidateQueries({ queryKey: filesKey(vaultId) })
  void queryClient.invalidateQueries({ queryKey: ['vaults'] })
}
