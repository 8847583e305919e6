import { day as dayText } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Table } from '../../ui/table.tsx'
import { DayChart } from './day-chart.tsx'
import type { Column } from './usage-columns.ts'

interface DayChartsProps<Day> {
  label: string
  days: readonly Day[]
  span: number
  columns: readonly Column<Day>[]
}

/** A chart for each figure, and all figures in a table, newest day first. */
export function DayCharts<Day extends { day: string }>({ label, days, span, columns }: DayChartsProps<Day>) {
  const t = text.value.usage
  const rows = days.toReversed().map((one) => {
    const figures = columns.map(({ of, format }) => format(of(one)))
    return [dayText(one.day), ...figures] as const
  })
  return (
    <>
      <div class="usage-charts">
        {columns.map(({ title, of, format }) => (
          <DayChart
            key={title}
            title={title}
            days={days.map((one) => ({ day: one.day, value: of(one) }))}
            span={span}
            format={format}
          />
        ))}
      </div>
      <details class="fold">
        <summary>{t.asTable}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach what scrolls */}
        <section class="usage-table" aria-label={label} tabIndex={0}>
          <Table label={label} columns={[t.day, ...columns.map(({ title }) => title)]} rows={rows} />
        </section>
      </details>
    </>
  )
}
