import type { Vault } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { bytes } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { Listing } from '../../ui/listing.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Measure } from '../../ui/measure.tsx'
import { Row } from '../../ui/row.tsx'
import { useVaults } from '../vaults/vault-queries.ts'
import { DayCharts } from './day-charts.tsx'
import { columnsOfVault, useVaultDays } from './usage-queries.ts'

export function VaultUsage({ storageBytes, span }: { storageBytes: number; span: number }) {
  const t = text.value
  return (
    <section class="section">
      <h2>{t.usage.perVault}</h2>
      <Listing label={t.usage.perVault} pages={useVaults()} empty={{ title: t.vaults.empty, text: t.vaults.emptyText }}>
        {(vault) => (
          <Row key={vault.id} title={<bdi>{vault.name}</bdi>}>
            <Measure label={t.usage.shareOf(vault.name)} value={vault.storageBytes} max={storageBytes}>
              {`${t.vaults.count(vault.fileCount)} · ${bytes(vault.storageBytes)}`}
            </Measure>
            <VaultHistory vault={vault} span={span} />
          </Row>
        )}
      </Listing>
    </section>
  )
}

interface VaultHistoryProps {
  vault: Vault
  span: number
}

function VaultHistory({ vault, span }: VaultHistoryProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text.value.usage.overTime}</summary>
      <div class="fold-body">{isOpen && <VaultDays vault={vault} span={span} />}</div>
    </details>
  )
}

function VaultDays({ vault, span }: VaultHistoryProps) {
  const label = text.value.usage.overTimeOf(isolated(vault.name))
  return (
    <Loaded query={useVaultDays(vault.id, span)}>
      {({ days }) => <DayCharts label={label} days={days} span={span} columns={columnsOfVault()} />}
    </Loaded>
  )
}
