import type { OperatorCircuit, OperatorNetwork, OperatorOverview } from '@tideport/sdk'
import { bytes, dateTime, duration, number } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Empty } from '../../../ui/empty.tsx'
import { Measure } from '../../../ui/measure.tsx'
import { Badges, type BadgeText, Row } from '../../../ui/row.tsx'
import type { NetworksAnswer } from './overview-queries.ts'

interface NetworksProps {
  answer: NetworksAnswer
  due: NonNullable<OperatorOverview['due']>
}

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
        <Row title={t.hotTier} facts={[[t.circuit, <TakesWork key="" circuits={openCircuits} needs="hot_tier" />]]}>
          <p class="hint">{t.hotTierText}</p>
          <Badges badges={[worksBadge(hotTier.works, null)]} />
        </Row>
      </ul>
    </section>
  )
}

interface NetworkRowProps {
  network: OperatorNetwork
  circuits: readonly OperatorCircuit[]
  due: NonNullable<OperatorOverview['due']>
}

function NetworkRow({ network, circuits, due }: NetworkRowProps) {
  const t = text.value.operator
  const { name, driver, role, works, fault, freeBytes, totalBytes, reserveBytes, copiesLeft, copiesLost } = network
  const queues = due.filter(({ queue }) => queue === `store-${name}` || queue === `prove-${name}`)
  const oldest = Math.max(0, ...queues.map(({ oldestSeconds }) => oldestSeconds))
  return (
    <Row
      title={<bdi>{name}</bdi>}
      badges={[
        works === null && role !== null && t.noAnswerYet,
        works !== null && worksBadge(works, fault),
        role === null ? t.notConfigured : t.roles[role],
      ]}
      facts={[
        [t.driver, driver],
        [t.reserve, reserveBytes === null ? null : bytes(reserveBytes)],
        [t.circuit, role === null ? null : <TakesWork circuits={circuits} needs={name} />],
        [t.oldestDue, queues.length === 0 ? null : oldest === 0 ? t.nothingWaits : duration(oldest)],
        [t.lost, copiesLost === null ? null : number(copiesLost)],
        [t.left, copiesLeft === null ? null : number(copiesLeft)],
      ]}
    >
      {freeBytes !== null && totalBytes !== null && (
        <Measure label={t.room(name)} value={totalBytes - freeBytes} max={totalBytes}>
          {t.free(bytes(freeBytes), bytes(totalBytes))}
        </Measure>
      )}
    </Row>
  )
}

const worksBadge = (works: boolean, fault: string | null): BadgeText =>
  works ? ['badge-good', text.value.operator.works] : ['badge-bad', text.value.operator.worksNot(fault)]

function TakesWork({ circuits, needs }: { circuits: readonly OperatorCircuit[]; needs: string }) {
  const t = text.value.operator
  const open = circuits.filter((circuit) => circuit.needs === needs)
  const since = open.map(({ openedAt }) => openedAt).toSorted()[0]
  if (since === undefined) return t.circuitClosed
  const services = [...Map.groupBy(open, ({ service }) => service)].map(([service, all]) =>
    all.length === 1 ? service : `${service} × ${number(all.length)}`,
  )
  return <span class="badge-bad">{t.circuitOpen(services.join(', '), dateTime(since))}</span>
}
