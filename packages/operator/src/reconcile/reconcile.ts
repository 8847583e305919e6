import { parseArgs } from 'node:util'
import { readCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { type Installation, openInstallation } from '../open-installation.ts'
import { parseUuid } from '../options.ts'
import { findUnnamed } from './find-unnamed.ts'
import { type Inspection, inspect, inspectUnnamed } from './inspect.ts'
import { filesAfter, firstPlace, placeOf } from './read-files.ts'
import { repair } from './repair.ts'

/** Files that wait for one look through the networks, which may take long. */
const UNNAMED_MAX = 10_000

/** After a loss, or after Postgres was restored to an earlier time. */
export const reconcile: Command = {
  usage: '[--fix] [--since TIME | --after ID] [--json]',
  summary:
    'Compares rows with what S3 and the networks hold; --fix brings the rows to it, and deletes nothing anywhere',
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
    await using installation = await openInstallation(context)
    using printer = createPrinter(context.print, values)
    // That neither tier is there must not look like bytes being lost.
    await installation.hotTier.health()
    for (const network of installation.networks.all()) await network.health(context.signal)

    const counts: Record<string, number> = {}
    const count = (word: string) => {
      counts[word] = (counts[word] ?? 0) + 1
    }
    await walk(context, installation, begin, async (file, inspection) => {
      const { kind, missing, found } = inspection
      count('files')
      if (kind === 'accords') return
      count(kind)
      const isKnown = fix && kind !== 'unreadable'
      const outcome = isKnown ? await repair(installation, file, inspection, context) : 'left'
      count(outcome)
      const networks = [...new Set([...missing, ...found].map(({ network }) => network))].join(', ')
      const { id: fileId, accountId, status } = file
      printer.row({ fileId, accountId, status, difference: kind, networks, outcome })
    })
    context.log.info(counts, fix ? 'reconciled' : 'compared, nothing was changed')
    const { left = 0, changed = 0, unproved = 0, lost = 0 } = counts
    if (left + changed + unproved > 0) throw new Error(`${left + changed + unproved} files differ from what is there`)
    if (lost > 0) throw new Error(`the bytes of ${lost} files are lost; they are in error now`)
  },
}

type Visit = (file: FileRow, inspection: Inspection) => Promise<void>

interface Unnamed {
  file: FileRow
  inspection: Inspection
}

/** Visits every file after `begin`, and logs from where the walk can go on. */
async function walk(
  { log, signal }: CommandContext,
  installation: Installation,
  begin: string,
  visit: Visit,
): Promise<void> {
  const unnamed = new Map<string, Unnamed>()
  for (let place: string | null = begin; place !== null; ) {
    signal.throwIfAborted()
    const { files, next }: Awaited<ReturnType<typeof filesAfter>> = await filesAfter(installation.db, place)
    await inParallel(files, async (file) => {
      const copies = await readCopies(installation.db, file.id)
      const inspection = await inspect(installation, { file, copies }, signal)
      if (inspection.kind === 'unnamed') unnamed.set(file.id, { file, inspection })
      else await visit(file, inspection)
    })
    if (unnamed.size > UNNAMED_MAX || next === null) await visitUnnamed(installation, unnamed, visit, signal)
    if (unnamed.size === 0 && next !== null) log.info({ after: next }, 'compared up to here')
    place = next
  }
}

/** One look through the networks for the copies of all of them. */
async function visitUnnamed(
  installation: Installation,
  unnamed: Map<string, Unnamed>,
  visit: Visit,
  signal: AbortSignal,
): Promise<void> {
  if (unnamed.size === 0) return
  const sizes = new Map([...unnamed.values()].map(({ file }) => [file.id, file.sizeBytes]))
  const found = await findUnnamed(installation, sizes, signal)
  await inParallel(unnamed.values(), async ({ file, inspection }) => {
    await visit(file, inspectUnnamed(file, inspection, found.get(file.id) ?? []))
  })
  unnamed.clear()
}
