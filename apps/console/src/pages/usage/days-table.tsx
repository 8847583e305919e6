import { bytes, day as dayText, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import type { Column } from './usage-columns.ts'

interface DaysTableProps<Day> {
  label: string
  days: readonly Day[]
  columns: readonly Column<Day>[]
}

/** All figures behind the charts, newest day first. */
export function DaysTable<Day extends { day: string }>({ label, days, columns }: DaysTableProps<Day>) {
  const t = text.value.usage
  return (
    <details class="fold">
      <summary>{t.asTable}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be reached by keyboard */}
      <section class="usage-table" aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.day}</th>
              {columns.map(({ title }) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((one) => (
              <tr key={one.day}>
                <th scope="row">{dayText(one.day)}</th>
                {columns.map(({ title, of, isBytes }) => (
                  <td key={title}>{isBytes ? bytes(of(one)) : number(of(one))}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}
