import type { Account } from '@tideport/sdk'
import { bytes, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Empty } from '../../ui/empty.tsx'
import { Measure } from '../../ui/measure.tsx'
import { Row } from '../../ui/row.tsx'

/** What lies on each storage network, as that bills it. */
export function NetworkUsage({ networks }: Pick<Account['usage'], 'networks'>) {
  const t = text.value.usage
  const billed = networks.reduce((sum, { billedBytes }) => sum + billedBytes, 0)
  return (
    <section class="section">
      <h2>{t.networks}</h2>
      <p class="hint">{t.networksHint}</p>
      {networks.length === 0 && <Empty title={t.noNetworks} text={t.noNetworksText} />}
      <ul class="rows" aria-label={t.networks}>
        {networks.map(({ network, copies, billedBytes }) => (
          <Row key={network} title={network}>
            <Measure label={t.shareOf(network)} value={billedBytes} max={billed}>
              {t.copies(copies, number(copies), bytes(billedBytes))}
            </Measure>
          </Row>
        ))}
      </ul>
    </section>
  )
}
