import type { Account, Vault } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { bytes, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Measure } from '../../ui/measure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Row } from '../../ui/row.tsx'
import { useVaults } from '../vaults/vault-queries.ts'
import { DayCharts } from './day-charts.tsx'
import { columnsOfAccount, columnsOfVault, spans, useAccount, useUsageDays, useVaultDays } from './usage-queries.ts'

export default function UsagePage() {
  const t = text.value.usage
  const [span, setSpan] = useState<number>(spans[0])
  return (
    <>
      <PageHead title={text.value.nav.usage} lead={t.lead} />
      <Loaded query={useAccount()}>
        {(account) => (
          <>
            <Totals account={account} />
            <UsageHistory span={span} onSpan={setSpan} />
            <NetworkUsage networks={account.usage.networks} />
            <VaultUsage storageBytes={account.usage.storageBytes} span={span} />
          </>
        )}
      </Loaded>
    </>
  )
}

function UsageHistory({ span, onSpan }: { span: number; onSpan: (span: number) => void }) {
  const t = text.value.usage
  const choices = spans.map((days) => ({ value: String(days), label: t.lastDays(days) }))
  return (
    <section class="section">
      <h2>{t.overTime}</h2>
      <p class="hint">{t.overTimeHint}</p>
      <div class="filters">
        <SelectField
          label={t.span}
          choices={choices}
          value={String(span)}
          onChange={(value) => onSpan(Number(value))}
        />
      </div>
      <Loaded query={useUsageDays(span)}>
        {({ days }) => <DayCharts label={t.overTime} days={days} span={span} columns={columnsOfAccount(days)} />}
      </Loaded>
    </section>
  )
}

function NetworkUsage({ networks }: Pick<Account['usage'], 'networks'>) {
  const t = text.value.usage
  const billed = networks.reduce((sum, { billedBytes }) => sum + billedBytes, 0)
  return (
    <section class="section">
      <h2>{t.networks}</h2>
      <p class="hint">{t.networksHint}</p>
      {networks.length === 0 && <Empty title={t.noNetworks} text={t.noNetworksText} />}
      <ul class="rows" aria-label={t.networks}>
        {networks.map(({ network, copies, billedBytes }) => (
          <Row key={network} title={network}>
            <Measure label={t.shareOf(network)} value={billedBytes} max={billed}>
              {t.copies(copies, number(copies), bytes(billedBytes))}
            </Measure>
          </Row>
        ))}
      </ul>
    </section>
  )
}

function Totals({ account: { usage, limits } }: { account: Account }) {
  const { nav, app, usage: t } = text.value
  const { storageBytes, hotBytes, fileCount, vaultCount } = usage
  const { quotaBytes, maxFileBytes, maxPutBytes, openUploadsMax } = limits
  return (
    <section class="card">
      <h2>{t.all}</h2>
      {quotaBytes !== null && (
        <Measure label={t.quota} value={storageBytes} max={quotaBytes}>
          {t.of(bytes(storageBytes), bytes(quotaBytes))}
        </Measure>
      )}
      <Facts
        facts={[
          [t.stored, bytes(storageBytes)],
          [t.hot, bytes(hotBytes)],
          [app.files, number(fileCount)],
          [nav.vaults, number(vaultCount)],
          [t.quota, quotaBytes === null ? t.noQuota : bytes(quotaBytes)],
          [app.maxFile, bytes(maxFileBytes)],
          [t.maxPut, bytes(maxPutBytes)],
          [t.openUploads, number(openUploadsMax)],
        ]}
      />
      <p class="hint">{t.withTrash}</p>
    </section>
  )
}

function VaultUsage({ storageBytes, span }: { storageBytes: number; span: number }) {
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
