import type { OperatorOverview } from '@tideport/sdk'
import { text } from '../../../text/text.ts'
import { Empty } from '../../../ui/empty.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { Row } from '../../../ui/row.tsx'
import { NetworkRow, TakesWork } from './network-row.tsx'
import type { NetworksAnswer } from './overview-queries.ts'

interface NetworksProps {
  answer: NetworksAnswer
  due: NonNullable<OperatorOverview['due']>
}

/** The hot tier and each network: whether they work, their room, and what waits for them. */
export function Networks({ answer: { networks, hotTier, openCircuits }, due }: NetworksProps) {
  const t = text.value.operator
  return (
    <section class="section">
      <h2>{t.networks}</h2>
      <p class="hint">{t.networksHint}</p>
      {networks.length === 0 && <Empty title={t.noNetworks} text={t.noNetworksText} />}
      <ul class="rows" aria-label={t.networks}>
        {networks.map((network) => (
          <NetworkRow key={network.name} network={network} circuits={openCircuits} due={due} />
        ))}
        <Row title={t.hotTier}>
          <p class="hint">{t.hotTierText}</p>
          <p class="badges">
            <span class={`badge ${hotTier.works ? 'badge-good' : 'badge-bad'}`}>
              {hotTier.works ? t.works : t.worksNot(null)}
            </span>
          </p>
          <Facts facts={[[t.circuit, <TakesWork key="" circuits={openCircuits} needs="hot_tier" />]]} />
        </Row>
      </ul>
    </section>
  )
}
