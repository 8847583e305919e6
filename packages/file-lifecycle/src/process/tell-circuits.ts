import { randomUUID } from 'node:crypto'
import type { Circuit } from '@tideport/service-kit/process/circuit'
import { every, type PeriodicTask } from '@tideport/service-kit/process/every'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'

const EVERY_MS = 5000
/** One that was not told of for so long is over, or its process is. */
const OVER_SECONDS = 30

export interface OpenCircuit {
  process: string
  service: string
  needs: string
  openedAt: Date
}

interface TellDeps {
  db: Kysely<FilesDb>
  /** Which service this process is of. */
  service: string
  log: Log
  signal: AbortSignal
}

/** Tells operators, in rows, which circuits of this process are open. Writes nothing while all are closed. */
export function tellCircuits(
  circuits: ReadonlyMap<string, Pick<Circuit, 'isClosed'>>,
  { db, service, log, signal }: TellDeps,
): PeriodicTask {
  const process = randomUUID()
  let hasTold = false
  async function tell(): Promise<void> {
    const open = [...circuits].flatMap(([needs, circuit]) => (circuit.isClosed() ? [] : [needs]))
    if (open.length === 0 && !hasTold) return
    await sql`
      with closed as (
        delete from open_circuit where (process = ${process} and needs <> all(${open}::text[]))
          or told_at < now() - make_interval(secs => ${OVER_SECONDS})
      )
      insert into open_circuit (process, service, needs)
      select ${process}, ${service}, needs from unnest(${open}::text[]) as needs
      on conflict (process, needs) do update set told_at = now()`.execute(db)
    hasTold = open.length > 0
  }
  return every(EVERY_MS, 'tell of open circuits', tell, { signal, log })
}

/** Of all processes, those that have been open longest first, 1,000 at most. */
export async function readOpenCircuits(db: Kysely<FilesDb>): Promise<OpenCircuit[]> {
  const { rows } = await sql<OpenCircuit>`
    select process, service, needs, opened_at from open_circuit
    where told_at >= now() - make_interval(secs => ${OVER_SECONDS})
    order by opened_at, process, needs limit 1000`.execute(db)
  return rows
}
