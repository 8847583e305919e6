import './usage.css'
import { day as dayText } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Table } from '../../ui/table.tsx'
import { type Column, daysAgo, daysBetween } from './usage-queries.ts'

interface DayChartsProps<Day> {
  label: string
  days: readonly Day[]
  span: number
  columns: readonly Column<Day>[]
}

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

const HEIGHT = 100

interface DayChartProps {
  title: string
  /** Missing days have no bar. */
  days: readonly { day: string; value: number }[]
  /** In days, up to today. */
  span: number
  format: (value: number) => string
}

function DayChart({ title, days, span, format }: DayChartProps) {
  const t = text.value.usage
  const from = daysAgo(span - 1)
  const most = Math.max(0, ...days.map(({ value }) => value))
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return null
  return (
    <figure class="usage-chart">
      <figcaption>
        <strong>{title}</strong> <span>{format(last.value)}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={t.chart(title, format(first.value), dayText(first.day), format(last.value), format(most))}
        viewBox={`0 0 ${span} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {days.map(({ day, value }) => {
          const height = most === 0 ? 0 : (value / most) * HEIGHT
          return <rect key={day} x={daysBetween(from, day) + 0.1} y={HEIGHT - height} width={0.8} height={height} />
        })}
      </svg>
      <p class="usage-chart-ends" aria-hidden="true">
        <span>{dayText(from)}</span>
        <span>{t.most(format(most))}</span>
        <span>{dayText(daysAgo(0))}</span>
      </p>
    </figure>
  )
}
