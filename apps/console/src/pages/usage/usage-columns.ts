import type { UsageDay, VaultUsageDay } from '@tideport/sdk'
import { bytes, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'

export interface Column<Day> {
  title: string
  of: (day: Day) => number
  format: (value: number) => string
}

export function columnsOfVault(): Column<VaultUsageDay>[] {
  const { app } = text.value
  return [
    { title: app.stored, of: ({ storageBytes }) => storageBytes, format: bytes },
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
