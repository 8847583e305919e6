import { parseArgs } from 'node:util'
import { addCounts } from '@tideport/repair/reconcile/progress'
import { allCopies, type Batch, copiesOf, sampleOfCopies } from '@tideport/repair/verify/read-copies'
import { verifyCopies } from '@tideport/repair/verify/verify-copies'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { type Command, type CommandContext, UsageError } from './command.ts'
import { type Installation, openInstallation } from './open-installation.ts'
import { parseCount, parseUuid } from './options.ts'

const SAMPLE_MAX = 1_000_000

export const verify: Command = {
  usage: '(--sample N | --file ID | --all [--after ID]) [--network NAME] [--json]',
  summary:
    'Reads complete copies from the networks and checks them against their checksums; records the results in the rows',
  async run(context) {
    const { values } = parseArgs({
      args: context.args,
      options: {
        sample: { type: 'string' },
        file: { type: 'string' },
        all: { type: 'boolean', default: false },
        after: { type: 'string' },
        network: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const { sample, file, all, after } = values
    if ([sample !== undefined, file !== undefined, all].filter(Boolean).length !== 1) {
      throw new UsageError('name exactly one of --sample, --file, and --all')
    }
    const size = sample === undefined ? 0 : parseCount('sample', sample, SAMPLE_MAX)
    const begin = after === undefined ? undefined : parseUuid('after', after)
    await using installation = await openInstallation(context)
    const { db, networks } = installation
    const names = networks.order.filter((name) => name === (values.network ?? name))
    if (names.length === 0) throw new UsageError(`unknown network. Use one of ${networks.order.join(', ')}`)
    for (const name of names) await networks.get(name)?.health(context.signal)
    const copies = file
      ? copiesOf(db, names, parseUuid('file', file))
      : all
        ? allCopies(db, names, begin)
        : sampleOfCopies(db, names, size)
    await verifyAll(context, installation, copies, values)
  },
}

async function verifyAll(
  { print, log, signal }: CommandContext,
  installation: Installation,
  batches: AsyncIterable<Batch>,
  { json }: { json: boolean },
): Promise<void> {
  let counts: Record<string, number> = { proved: 0, failed: 0, changed: 0, bytes: 0 }
  let unread = 0
  using printer = createPrinter(print, { json })
  for await (const found of verifyCopies(installation, batches, signal)) {
    counts = addCounts(counts, found.counts)
    for (const row of found.findings) printer.row({ ...row })
    unread += found.findings.filter(({ outcome }) => outcome === 'unreadable').length
    log.info({ ...counts, after: found.next ?? undefined }, 'verified so far')
  }
  const { proved, failed = 0, bytes } = counts
  print(json ? JSON.stringify(counts) : `${proved} copies proved, ${failed} failed, ${bytes} bytes`)
  const faults = Object.entries({ 'failed verification': failed - unread, 'could not be read': unread })
  const told = faults.filter(([, count]) => count > 0).map(([what, count]) => `${count} copies ${what}`)
  if (told.length > 0) throw new Error(told.join(', '))
}
