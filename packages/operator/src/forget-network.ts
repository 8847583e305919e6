import { parseArgs } from 'node:util'
import { networkName } from '@tideport/contracts/internal/network-name'
import { forgetCopy, reconcileFile } from '@tideport/file-lifecycle/copies/reconcile'
import { holdsBytesIn } from '@tideport/file-lifecycle/state/file-copies'
import { reloadFile } from '@tideport/file-lifecycle/state/queries'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { inTrace } from '@tideport/service-kit/context/request-context'
import { newTrace } from '@tideport/service-kit/context/trace-context'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import { type Kysely, sql } from 'kysely'
import { type Command, type CommandContext, UsageError } from './command.ts'
import { type Installation, openInstallation } from './open-installation.ts'

/** For a network that was removed from the configuration while it still had copies. */
export const forgetNetwork: Command = {
  usage: 'NAME [--fix] [--json]',
  summary:
    'Counts the copies on a permanently lost network; --fix drops these copies and continues the work that waited for them',
  async run(context) {
    const options = {
      fix: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    } as const
    const { values, positionals } = parseArgs({ args: context.args, options, allowPositionals: true })
    const [name] = positionals
    if (positionals.length !== 1 || !networkName.safeParse(name).success || name === undefined) {
      throw new UsageError('name one network')
    }
    await using installation = await openInstallation(context)
    if (installation.networks.get(name) !== undefined) {
      throw new Error(`${name} is configured. To empty it without a loss, give it the role leaving`)
    }
    const counts = await forgetAll(context, installation, name, values.fix)
    const [told, hint] = values.fix ? ['dropped', ''] : ['would be dropped', '. To drop them, use --fix']
    const text = `${counts.copies} copies ${told}, ${counts.alone} of them the last copy of a file${hint}`
    context.print(values.json ? JSON.stringify(counts) : text)
  },
}

async function forgetAll(
  { log, signal }: CommandContext,
  { db, networks, config: { settleSeconds } }: Installation,
  name: string,
  isFixed: boolean,
): Promise<{ copies: number; alone: number; inError: number }> {
  const counts = { copies: 0, alone: 0, inError: 0 }
  for await (const files of filesOnNetwork(db, name)) {
    await inParallel(files, async ({ id, isAlone }) => {
      signal.throwIfAborted()
      const isDone = !isFixed || (await inTrace(newTrace(), () => forgetCopy(db, id, name)))
      if (!isDone) return
      counts.copies += 1
      if (isAlone) counts.alone += 1
      if (!isFixed) return
      await inTrace(newTrace(), () => reconcileFile({ db, networks, settleSeconds }, id))
      if (isAlone && (await reloadFile(db, id))?.status === 'error') counts.inError += 1
    })
    log.info({ ...counts }, isFixed ? 'dropped so far' : 'counted so far')
  }
  return counts
}

const BATCH = 500
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

interface FileOnNetwork {
  id: string
  /** No other place has the bytes, according to the rows. */
  isAlone: boolean
}

/** Batches of files, sorted by ID. */
async function* filesOnNetwork(db: Kysely<FilesDb>, network: string): AsyncGenerator<FileOnNetwork[]> {
  for (let last: string | undefined = NIL_UUID; last !== undefined; ) {
    const batch: FileOnNetwork[] = await readBatch(db, network, last)
    if (batch.length > 0) yield batch
    last = batch.length === BATCH ? batch.at(-1)?.id : undefined
  }
}

async function readBatch(db: Kysely<FilesDb>, network: string, last: string): Promise<FileOnNetwork[]> {
  const { rows } = await sql<FileOnNetwork>`
    select file.id, file.hot_key is null and file.purging_at is null and not exists (
        select from copy where copy.file_id = file.id and copy.network <> ${network} and ${holdsBytesIn}) as is_alone
    from (
      select file_id from copy where network = ${network} and state <> 'dropped' and file_id > ${last}::uuid
      order by file_id limit ${BATCH}
    ) as chosen join file on file.id = chosen.file_id order by file.id`.execute(db)
  return rows
}
