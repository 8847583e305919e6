import type { Account } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { bytes, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Measure } from '../../ui/measure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Row } from '../../ui/row.tsx'
import { DayCharts } from './day-charts.tsx'
import { columnsOfAccount, spans, useAccount, useUsageDays } from './usage-queries.ts'
import { VaultUsage } from './vault-usage.tsx'

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
          [app.stored, bytes(storageBytes)],
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
