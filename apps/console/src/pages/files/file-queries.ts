import { queryOptions, useQuery } from '@tanstack/preact-query'
import { readVault } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'

export const filesKey = (vaultId: string) => ['files', vaultId] as const

export const vaultQuery = (vaultId: string) =>
  queryOptions({ queryKey: ['vaults', vaultId], queryFn: ({ signal }) => readVault(client(), { vaultId }, { signal }) })

export const useVault = (vaultId: string) => useQuery(vaultQuery(vaultId))

export function refreshFiles(vaultId: string): void {
  void queryClient.invalidateQueries({ queryKey: filesKey(vaultId) })
  void queryClient.invalidateQueries({ queryKey: ['vaults'] })
}
