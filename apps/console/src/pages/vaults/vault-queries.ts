import { listVaults, type Vault } from '@tideport/sdk'
import { useEffect } from 'preact/hooks'
import { queryClient } from '../../api/query-client.ts'
import { firstPages, usePages } from '../../api/use-pages.ts'
import { type ListQuery, readList } from '../resource/read-list.ts'

export const vaultsQuery: ListQuery<Vault> = {
  queryKey: ['vaults', 'list'],
  read: readList('vaults', listVaults, { limit: 100, sortBy: 'name', order: 'asc' }),
}

export const useVaults = () => usePages(vaultsQuery.queryKey, vaultsQuery.read)

export const askForVaults = (): void =>
  void queryClient.prefetchInfiniteQuery(firstPages(vaultsQuery.queryKey, vaultsQuery.read))

/** Maximum number of pages that are read to find a name. */
const pagesMax = 50

/** The name of a vault, or its id when the vault is in the trash. Reads further pages while a name is missing. */
export function useVaultNames(): (vaultId: string) => string {
  const { items, list } = useVaults()
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list
  const names = new Map(items.map(({ id, name }) => [id, name]))
  let isMissing = false
  useEffect(() => {
    if (!isMissing || !hasNextPage || isFetching || isFetchNextPageError) return
    if ((data?.pages.length ?? 0) < pagesMax) void fetchNextPage()
  })
  return (vaultId) => {
    const name = names.get(vaultId)
    isMissing ||= name === undefined
    return name ?? vaultId
  }
}
