import type { Vault } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { Failure } from '../../ui/failure.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { DayCharts } from './day-charts.tsx'
import { columnsOfVault } from './usage-columns.ts'
import { useVaultDays } from './usage-queries.ts'

interface VaultHistoryProps {
  vault: Vault
  span: number
}

/** What a vault had day by day; asked for when it is opened. */
export function VaultHistory({ vault, span }: VaultHistoryProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text.value.usage.overTime}</summary>
      <div class="fold-body">{isOpen && <VaultDays vault={vault} span={span} />}</div>
    </details>
  )
}

function VaultDays({ vault, span }: VaultHistoryProps) {
  const { data, error, isPending, refetch } = useVaultDays(vault.id, span)
  if (isPending) return <Spinner />
  if (data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  const label = text.value.usage.overTimeOf(isolated(vault.name))
  return <DayCharts label={label} days={data.days} span={span} columns={columnsOfVault()} />
}
