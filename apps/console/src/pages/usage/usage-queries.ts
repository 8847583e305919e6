import { useQuery } from '@tanstack/preact-query'
import { readAccount, readUsage, readVaultUsage, type UsageDay, type VaultUsageDay } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { bytes, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'

const MS_PER_DAY = 86_400_000

/** In days, including today. */
export const spans = [30, 90, 365] as const

/** A day in UTC: `2026-01-31`. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * MS_PER_DAY).toISOString().slice(0, 10)

export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / MS_PER_DAY)

export const useAccount = () =>
  useQuery({ queryKey: ['account', 'now'], queryFn: ({ signal }) => readAccount(client(), {}, { signal }) })

export const useUsageDays = (span: number) =>
  useQuery({
    queryKey: ['account', 'usage', span],
    queryFn: ({ signal }) => readUsage(client(), lastDays(span), { signal }),
  })

export const useVaultDays = (vaultId: string, span: number) =>
  useQuery({
    queryKey: ['vaults', vaultId, 'usage', span],
    queryFn: ({ signal }) => readVaultUsage(client(), { vaultId, ...lastDays(span) }, { signal }),
  })

/** The clock of the service may show another day. */
const lastDays = (span: number) => ({ from: daysAgo(span - 1), to: daysAgo(0) })

export interface Column<Day> {
  title: string
  of: (day: Day) => number
  format: (value: number) => string
}

export function columnsOfVault(): Column<VaultUsageDay>[] {
  const { app, usage: t } = text.value
  return [
    { title: t.stored, of: ({ storageBytes }) => storageBytes, format: bytes },
    { title: app.files, of: ({ fileCount }) => fileCount, format: number },
  ]
}

export function columnsOfAccount(days: readonly UsageDay[]): Column<UsageDay>[] {
  const t = text.value.usage
  const networks = [...new Set(days.flatMap((day) => day.networks.map(({ network }) => network)))]
  return [
    ...columnsOfVault(),
    { title: t.hot, of: ({ hotBytes }) => hotBytes, format: bytes },
    { title: t.added, of: ({ addedBytes }) => addedBytes, format: bytes },
    ...networks.map((name) => ({
      title: t.billedBy(name),
      of: (day: UsageDay) => day.networks.find(({ network }) => network === name)?.billedBytes ?? 0,
      format: bytes,
    })),
  ]
}
