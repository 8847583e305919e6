import { parseArgs } from 'node:util'
import { addCounts } from '@tideport/repair/reconcile/progress'
import { firstPlace, placeOf } from '@tideport/repair/reconcile/read-files'
import { reconcileFiles } from '@tideport/repair/reconcile/reconcile-files'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { type Command, UsageError } from './command.ts'
import { openInstallation } from './open-installation.ts'
import { parseUuid } from './options.ts'

/** Run after a loss, or after Postgres was restored. */
export const reconcile: Command = {
  usage: '[--fix] [--since TIME | --after ID] [--json]',
  summary:
    'Compares rows with the objects in S3 and the copies on networks; --fix corrects the rows and deletes no bytes',
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
    if (since !== undefined && after !== undefined) throw new UsageError('name only one of --since and --after')
    if (since !== undefined && Number.isNaN(Date.parse(since))) throw new UsageError('--since must be an ISO 8601 time')
    const begin = after ? parseUuid('after', after) : since ? placeOf(new Date(since)) : firstPlace
    await using installation = await openInstallation(context)
    using printer = createPrinter(context.print, values)
    let counts: Record<string, number> = {}
    for await (const found of reconcileFiles(installation, { begin, fix }, context.signal)) {
      counts = addCounts(counts, found.counts)
      for (const row of found.findings) printer.row({ ...row })
      if (found.isSettled && found.next !== null) context.log.info({ after: found.next }, 'compared so far')
    }
    context.log.info(counts, fix ? 'reconciled' : 'compared; nothing was changed')
    const { left = 0, changed = 0, unproved = 0, lost = 0 } = counts
    if (left + changed + unproved > 0)
      throw new Error(`${left + changed + unproved} files differ from the stored bytes. To correct the rows, use --fix`)
    if (lost > 0) throw new Error(`the bytes of ${lost} files are lost. These files are now in error`)
  },
}
