import { useQuery } from '@tanstack/preact-query'
import { readAccount, readUsage, readVaultUsage } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { daysAgo } from './days.ts'

export function useAccount() {
  return useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => readAccount(client(), {}, { signal }),
  })
}

export function useUsageDays(span: number) {
  return useQuery({
    queryKey: ['account', 'usage', span],
    queryFn: ({ signal }) => readUsage(client(), { from: daysAgo(span - 1) }, { signal }),
  })
}

export function useVaultDays(vaultId: string, span: number) {
  return useQuery({
    queryKey: ['vaults', vaultId, 'usage', span],
    queryFn: ({ signal }) => readVaultUsage(client(), { vaultId, from: daysAgo(span - 1) }, { signal }),
  })
}
