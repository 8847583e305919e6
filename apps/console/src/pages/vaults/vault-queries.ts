import { listVaults, type Vault } from '@tideport/sdk'
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
