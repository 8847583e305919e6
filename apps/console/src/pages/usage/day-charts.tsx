import { bytes, number } from '../../text/format.ts'
import { DayChart } from './day-chart.tsx'
import { DaysTable } from './days-table.tsx'
import type { Column } from './usage-columns.ts'

interface DayChartsProps<Day> {
  label: string
  days: readonly Day[]
  span: number
  columns: readonly Column<Day>[]
}

/** A chart for each figure, and all of them in a table. */
export function DayCharts<Day extends { day: string }>({ label, days, span, columns }: DayChartsProps<Day>) {
  return (
    <>
      <div class="usage-charts">
        {columns.map(({ title, of, isBytes }) => (
          <DayChart
            key={title}
            title={title}
            days={days.map((one) => ({ day: one.day, value: of(one) }))}
            span={span}
            format={isBytes ? bytes : number}
          />
        ))}
      </div>
      <DaysTable label={label} days={days} columns={columns} />
    </>
  )
}
