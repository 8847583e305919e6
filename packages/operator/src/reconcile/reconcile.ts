import { parseArgs } from 'node:util'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import type { Reference } from '@tideport/storage-network/storage-network'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { inParallel } from '../in-parallel.ts'
import { type Installation, openInstallation } from '../open-installation.ts'
import { parseUuid } from '../options.ts'
import { type Inspection, inspect, inspectUnnamed } from './inspect.ts'
import { filesAfter, firstPlace, placeOf } from './read-files.ts'
import { repair } from './repair.ts'

/** Files that wait for one look through the network, which may take long. */
const UNNAMED_MAX = 10_000

/** After a loss, or after Postgres was restored to an earlier time. */
export const reconcile: Command = {
  usage: '[--fix] [--since TIME | --after ID] [--json]',
  summary: 'Compares rows with what S3 and the network hold; --fix brings the rows to it, and deletes nothing anywhere',
  async run(context) {
    const { values } = parseArgs({
      args: context.args,
      options: {
        fix: { type: 'boolean', default: false },
        since: { type: 'string' },
        after: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const { since, after, fix } = values
    if (since !== undefined && after !== undefined) throw new UsageError('name one of --since and --after')
    if (since !== undefined && Number.isNaN(Date.parse(since))) throw new UsageError('--since takes a time of ISO 8601')
    const begin = after ? parseUuid('after', after) : since ? placeOf(new Date(since)) : firstPlace
    await using installation = openInstallation(context)
    using printer = createPrinter(context.print, values)
    // Neither tier being there must not look like bytes being lost.
    await installation.hotTier.health()
    await installation.network.health(context.signal)

    const counts: Record<string, number> = {}
    const count = (word: string) => {
      counts[word] = (counts[word] ?? 0) + 1
    }
    await walk(context, installation, begin, async (file, inspection, copy) => {
      count('files')
      if (inspection === 'accords') return
      count(inspection)
      const isKnown = fix && inspection !== 'unreadable'
      const outcome = isKnown ? await repair(installation, file, inspection, { copy, signal: context.signal }) : 'left'
      count(outcome)
      printer.row({ fileId: file.id, accountId: file.accountId, status: file.status, difference: inspection, outcome })
    })
    context.log.info(counts, fix ? 'reconciled' : 'compared, nothing was changed')
    const { left = 0, changed = 0, unproved = 0, lost = 0 } = counts
    if (left + changed + unproved > 0) throw new Error(`${left + changed + unproved} files differ from what is there`)
    if (lost > 0) throw new Error(`the bytes of ${lost} files are lost; they are in error now`)
  },
}

type Visit = (file: FileRow, inspection: Exclude<Inspection, 'unnamed'>, copy: Reference | undefined) => Promise<void>

/** Visits every file after `begin`, and logs from where the walk can go on. */
async function walk(
  { log, signal }: CommandContext,
  installation: Installation,
  begin: string,
  visit: Visit,
): Promise<void> {
  const unnamed = new Map<string, FileRow>()
  for (let place: string | null = begin; place !== null; ) {
    signal.throwIfAborted()
    const { files, next }: Awaited<ReturnType<typeof filesAfter>> = await filesAfter(installation.db, place)
    await inParallel(files, async (file) => {
      const inspection = await inspect(installation, file, signal)
      if (inspection === 'unnamed') unnamed.set(file.id, file)
      else await visit(file, inspection, undefined)
    })
    if (unnamed.size > UNNAMED_MAX || next === null) await visitUnnamed(installation, unnamed, visit, signal)
    if (unnamed.size === 0 && next !== null) log.info({ after: next }, 'compared up to here')
    place = next
  }
}

/** One look through the network for the copies of all of them. */
async function visitUnnamed(
  { network }: Installation,
  unnamed: Map<string, FileRow>,
  visit: Visit,
  signal: AbortSignal,
): Promise<void> {
  if (unnamed.size === 0) return
  const copies = new Map<string, Reference>()
  for await (const reference of network.references(signal)) {
    if (unnamed.has(reference.fileId)) copies.set(reference.fileId, reference)
  }
  await inParallel(unnamed.values(), async (file) => {
    const copy = copies.get(file.id)
    await visit(file, inspectUnnamed(file, copy), copy)
  })
  unnamed.clear()
}
