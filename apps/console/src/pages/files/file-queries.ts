import { useInfiniteQuery, useQuery } from '@tanstack/preact-query'
import { listFiles, readVault } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { entriesOf } from './entries.ts'
import type { Place } from './place.ts'

export const filesKey = (vaultId: string) => ['files', vaultId] as const

export function useVault(vaultId: string) {
  return useQuery({
    queryKey: ['vaults', vaultId],
    queryFn: ({ signal }) => readVault(client(), { vaultId }, { signal }),
  })
}

/** A folder, or what a search finds in the whole vault, page by page as it is scrolled to. */
export function useEntries(vaultId: string, { folder, search, order }: Place) {
  return useInfiniteQuery({
    queryKey: [...filesKey(vaultId), { folder, search, order }],
    queryFn: async ({ pageParam, signal }) => {
      const by =
        search === ''
          ? ({ prefix: folder || undefined, delimiter: '/', sortBy: 'path', order } as const)
          : ({ q: search, sortBy: 'name', order } as const)
      const input = { vaultId, limit: 100, cursor: pageParam, ...by }
      const page = await listFiles(client(), input, { signal }).page()
      return { entries: entriesOf(page, order), nextCursor: page.nextCursor }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
}

/** Lists of the vault are read anew, and how much is in it. */
export function refreshFiles(vaultId: string): void {
  void queryClient.invalidateQueries({ queryKey: filesKey(vaultId) })
  void queryClient.invalidateQueries({ queryKey: ['vaults'] })
}
