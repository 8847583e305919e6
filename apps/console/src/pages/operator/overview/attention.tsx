import type { OperatorOverview } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { text } from '../../../text/text.ts'
import { findAttention } from './find-attention.ts'
import type { NetworksAnswer } from './overview-queries.ts'

interface AttentionProps {
  overview: OperatorOverview
  networks: NetworksAnswer | undefined
}

/** What is not as it should be, before all figures. Read out only when there is more or less of it. */
export function Attention({ overview, networks }: AttentionProps) {
  const t = text.value.operator
  const found = findAttention(overview, networks)
  return (
    <section class="section operator-attention" data-well={found.length === 0}>
      <h2>{t.attention}</h2>
      <p role="status">{found.length === 0 ? t.well : t.needs(found.length)}</p>
      {found.length > 0 && (
        <ul aria-label={t.attention}>
          {found.map(({ key, text: what, href }) => (
            <li key={key}>{href === undefined ? what : <Link href={href}>{what}</Link>}</li>
          ))}
        </ul>
      )}
    </section>
  )
}
