import { text } from '../../text/text.ts'
import { Failure } from '../../ui/failure.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { DayCharts } from './day-charts.tsx'
import { spans } from './days.ts'
import { columnsOfAccount } from './usage-columns.ts'
import { useUsageDays } from './usage-queries.ts'

interface UsageHistoryProps {
  span: number
  onSpan: (span: number) => void
}

/** What an account had day by day, with each network. */
export function UsageHistory({ span, onSpan }: UsageHistoryProps) {
  const t = text.value.usage
  const { data, error, isPending, refetch } = useUsageDays(span)
  return (
    <section class="section">
      <h2>{t.overTime}</h2>
      <p class="hint">{t.overTimeHint}</p>
      <div class="filters">
        <SelectField
          label={t.span}
          choices={spans.map((days) => ({ value: String(days), label: t.lastDays(days) }))}
          value={String(span)}
          onChange={(value) => onSpan(Number(value))}
        />
      </div>
      {isPending && <Spinner />}
      {!isPending && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <DayCharts label={t.overTime} days={data.days} span={span} columns={columnsOfAccount(data.days)} />
      )}
    </section>
  )
}
