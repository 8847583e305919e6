import { text } from '../../text/text.ts'
import { Row } from '../../ui/row.tsx'
import type { Finding } from './finding.ts'

const looks = { good: 'badge-good', warning: '', bad: 'badge-bad' } as const

export function FindingRow({ finding: { name, look, text: sentence } }: { finding: Finding }) {
  const t = text.value.check
  return (
    <Row title={t.names[name]} badges={[[looks[look], t.looks[look]]]}>
      <p>{sentence}</p>
    </Row>
  )
}
