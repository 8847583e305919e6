import type { OperatorCircuit, OperatorNetwork, OperatorOverview } from '@tideport/sdk'
import { bytes, dateTime, duration, number } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Facts } from '../../../ui/facts.tsx'
import { Measure } from '../../../ui/measure.tsx'
import { Row } from '../../../ui/row.tsx'

interface NetworkRowProps {
  network: OperatorNetwork
  circuits: readonly OperatorCircuit[]
  due: NonNullable<OperatorOverview['due']>
}

export function NetworkRow({ network, circuits, due }: NetworkRowProps) {
  const t = text.value.operator
  const { name, driver, role, works, fault, freeBytes, totalBytes, reserveBytes, copiesLeft, copiesLost } = network
  const queues = due.filter(({ queue }) => queue === `store-${name}` || queue === `prove-${name}`)
  const oldest = Math.max(0, ...queues.map(({ oldestSeconds }) => oldestSeconds))
  return (
    <Row title={<bdi>{name}</bdi>}>
      <p class="badges">
        {works === null && role !== null && <span class="badge">{t.noAnswerYet}</span>}
        {works !== null && (
          <span class={`badge ${works ? 'badge-good' : 'badge-bad'}`}>{works ? t.works : t.worksNot(fault)}</span>
        )}
        <span class="badge">{role === null ? t.notConfigured : t.roles[role]}</span>
      </p>
      {freeBytes !== null && totalBytes !== null && (
        <Measure label={t.room(name)} value={totalBytes - freeBytes} max={totalBytes}>
          {t.free(bytes(freeBytes), bytes(totalBytes))}
        </Measure>
      )}
      <Facts
        facts={[
          [t.driver, driver],
          [t.reserve, reserveBytes === null ? null : bytes(reserveBytes)],
          [t.circuit, role === null ? null : <TakesWork circuits={circuits} needs={name} />],
          [t.oldestDue, queues.length === 0 ? null : oldest === 0 ? t.nothingWaits : duration(oldest)],
          [t.lost, copiesLost === null ? null : number(copiesLost)],
          [t.left, copiesLeft === null ? null : number(copiesLeft)],
        ]}
      />
    </Row>
  )
}

/** Whether workers take work that needs this; which do not, and since when. */
export function TakesWork({ circuits, needs }: { circuits: readonly OperatorCircuit[]; needs: string }) {
  const t = text.value.operator
  const open = circuits.filter((circuit) => circuit.needs === needs)
  const since = open.map(({ openedAt }) => openedAt).toSorted()[0]
  if (since === undefined) return t.circuitClosed
  const services = [...Map.groupBy(open, ({ service }) => service)].map(([service, all]) =>
    all.length === 1 ? service : `${service} × ${number(all.length)}`,
  )
  return <span class="badge-bad">{t.circuitOpen(services.join(', '), dateTime(since))}</span>
}
