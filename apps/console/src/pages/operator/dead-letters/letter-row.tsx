import { dateTime } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Facts } from '../../../ui/facts.tsx'
import { Row } from '../../../ui/row.tsx'
import type { Letter } from './letter.ts'

interface LetterRowProps {
  letter: Letter
  /** Without them there is nothing to choose it for. */
  isSelected?: boolean
  onToggle?: (toHere: boolean) => void
}

export function LetterRow({ letter, isSelected, onToggle }: LetterRowProps) {
  const t = text.value.operator
  const { id, reason, since, facts } = letter
  const title = (
    <span class="operator-letter">
      {onToggle !== undefined && (
        <input
          type="checkbox"
          aria-label={t.select(id)}
          checked={isSelected}
          onClick={(event) => onToggle(event.shiftKey)}
        />
      )}
      <bdi>{reason ?? t.noReason}</bdi>
    </span>
  )
  return (
    <Row title={title}>
      <Facts
        facts={[
          [t.since, since && dateTime(since)],
          ...facts.map(([name, value]) => [name, value && <bdi key={name}>{value}</bdi>] as const),
        ]}
      />
    </Row>
  )
}
