import { useQuery } from '@tanstack/preact-query'
import { readAccount, readUsage, readVaultUsage } from '@tideport/sdk'
import { client } from '../../api/client.ts'

const MS_PER_DAY = 86_400_000

/** In days, including today. */
export const spans = [30, 90, 365] as const

/** A day in UTC: `2026-01-31`. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * MS_PER_DAY).toISOString().slice(0, 10)

export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / MS_PER_DAY)

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

/** The clock of the service may show another day. */
const lastDays = (span: number) => ({ from: daysAgo(span - 1), to: daysAgo(0) })
