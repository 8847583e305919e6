import type { OperatorOverview } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { describeError } from '../../../api/describe-error.ts'
import { useOverview } from '../../../api/operator-access.ts'
import { dateTime } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Loaded } from '../../../ui/loaded.tsx'
import { OperatorPage } from '../operator-page.tsx'
import { Figures } from './figures.tsx'
import { findAttention } from './find-attention.ts'
import { Networks } from './networks.tsx'
import { type NetworksAnswer, useNetworks } from './overview-queries.ts'

export default function OverviewPage() {
  const t = text.value.operator
  const overview = useOverview({ isWatched: true })
  const networks = useNetworks({ isWatched: true })
  const failed = [overview, networks].find(({ data, error }) => data !== undefined && error !== null)
  return (
    <OperatorPage lead={t.lead}>
      <p class="form-error" role="status">
        {failed === undefined ? '' : t.notRefreshed(describeError(failed.error))}
      </p>
      <Loaded query={overview}>
        {(data) => (
          <>
            <p class="hint">{takenAt(data.takenAt)}</p>
            <Attention overview={data} networks={networks.data} />
            <Figures overview={data} />
          </>
        )}
      </Loaded>
      <Loaded query={networks}>{(data) => <Networks answer={data} due={overview.data?.due ?? []} />}</Loaded>
    </OperatorPage>
  )
}

function takenAt(time: string | null): string {
  const t = text.value.operator
  return time === null ? t.notTaken : t.takenAt(dateTime(time))
}

function Attention({ overview, networks }: { overview: OperatorOverview; networks: NetworksAnswer | undefined }) {
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
