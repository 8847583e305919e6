import { parseArgs } from 'node:util'
import type { CopyState, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { type Kysely, sql } from 'kysely'
import type { Command } from './command.ts'
import { type Installation, openInstallation } from './open-installation.ts'

/** Files per statement. */
const FILES = 10_000
const FIRST = '00000000-0000-0000-0000-000000000000'
const HEALTH_MS = 20_000

export const networks: Command = {
  usage: '[--json]',
  summary: 'Lists each network with its health, its role, and its number of copies per state',
  async run({ args, env, print, log, signal }) {
    const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } })
    await using installation = await openInstallation({ env, log })
    const counts = new Map<string, Counts>(installation.networks.order.map((name) => [name, { ...NONE }]))
    for await (const { last, rows } of countCopies(installation.db)) {
      signal.throwIfAborted()
      for (const { network, state, copies, bytes } of rows) {
        const count = counts.get(network) ?? { ...NONE }
        counts.set(network, count)
        count[state] += copies
        if (state !== 'dropped' && state !== 'planned' && state !== 'failed') count.bytes += bytes
      }
      log.info({ after: last }, 'counted so far')
    }
    using printer = createPrinter(print, values)
    for (const [network, count] of counts)
      printer.row({ network, ...(await describeNetwork(installation, network)), ...count })
  },
}

type Counts = Record<CopyState, number> & { bytes: number }

const NONE: Counts = { planned: 0, stored: 0, proved: 0, failed: 0, dropping: 0, dropped: 0, bytes: 0 }

interface Counted {
  network: string
  state: CopyState
  copies: number
  bytes: number
}

/** Counts in batches of files, sorted by ID. */
async function* countCopies(db: Kysely<FilesDb>): AsyncGenerator<{ last: string; rows: Counted[] }> {
  for (let after = FIRST; ; ) {
    const { rows: ends } = await sql<{ last: string | null }>`
      select max(id::text) as last from (
        select id from file where id > ${after}::uuid order by id limit ${FILES}) as batch`.execute(db)
    const last = ends[0]?.last ?? null
    if (last === null) return
    const { rows } = await sql<Counted>`
      select network, state, count(*) as copies, sum(size_bytes)::bigint as bytes
      from file join copy on copy.file_id = file.id
      where file.id > ${after}::uuid and file.id <= ${last}::uuid
      group by network, state`.execute(db)
    yield { last, rows }
    after = last
  }
}

async function describeNetwork({ networks: all }: Installation, name: string) {
  const network = all.get(name)
  if (network === undefined) return { driver: null, role: 'not configured', works: null }
  const role = all.required.includes(name) ? 'required' : 'leaving'
  const works = await network.health(AbortSignal.timeout(HEALTH_MS)).then(
    () => 'yes',
    (error: Error) => `no: ${error.message}`,
  )
  return { driver: network.driver, role, works }
}
