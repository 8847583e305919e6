import { useQuery } from '@tanstack/preact-query'
import { readAccount, readUsage, readVaultUsage } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { daysAgo } from './days.ts'

export const useAccount = () =>
  useQuery({ queryKey: ['account', 'now'], queryFn: ({ signal }) => readAccount(client(), {}, { signal }) })

export function useUsageDays(span: number) {
  return useQuery({
    queryKey: ['account', 'usage', span],
    queryFn: ({ signal }) => readUsage(client(), lastDays(span), { signal }),
  })
}

export function useVaultDays(vaultId: string, span: number) {
  return useQuery({
    queryKey: ['vaults', vaultId, 'usage', span],
    queryFn: ({ signal }) => readVaultUsage(client(), { vaultId, ...lastDays(span) }, { signal }),
  })
}

/** Both ends by this clock: by its own the service may have another day already, or still. */
const lastDays = (span: number) => ({ from: daysAgo(span - 1), to: daysAgo(0) })
