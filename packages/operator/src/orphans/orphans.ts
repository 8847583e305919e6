import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { installationIdOf } from '@tideport/file-lifecycle/copies/networks'
import { openHotTierListing } from '@tideport/hot-tier/listing'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { type Installation, openInstallation } from '../open-installation.ts'
import { parseDuration } from '../options.ts'
import { everythingOutside, findOrphans, type Orphan, withoutRow } from './find-orphans.ts'

/** Orphans come from crashed processes, or from files that a restored database lacks. */
export const orphans: Command = {
  usage: '[--older-than 7d] [--delete] [--json] | --mark-bucket',
  summary: 'Lists objects, uploads, and copies without a row; --delete deletes those older than --older-than',
  async run(context) {
    const { values } = parseArgs({
      args: context.args,
      options: {
        'older-than': { type: 'string', default: '7d' },
        delete: { type: 'boolean', default: false },
        'mark-bucket': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    })
    const olderThanSeconds = parseDuration('older-than', values['older-than'])
    if (values['mark-bucket'] && values.delete)
      throw new UsageError('mark the bucket first, then check the list, then use --delete')
    await using installation = await openInstallation(context)
    if (values['mark-bucket']) return await markBucket(installation, context)
    // With another database, every object would look like an orphan. The health check rejects a volume of another
    // installation.
    for (const network of installation.networks.all()) await network.health(context.signal)
    if (values.delete) await assertOwnBucket(installation)
    await walk(context, installation, { olderThanSeconds, removes: values.delete, json: values.json })
  },
}

async function walk(
  { print, log, signal }: CommandContext,
  { db, hotTier, networks, config }: Installation,
  { olderThanSeconds, removes, json }: { olderThanSeconds: number; removes: boolean; json: boolean },
): Promise<void> {
  const counts = { object: 0, upload: 0, copy: 0, bytes: 0, removed: 0 }
  using listing = openHotTierListing(config)
  using printer = createPrinter(print, { json })
  for await (const found of findOrphans(db, everythingOutside(listing, networks.all(), signal), olderThanSeconds)) {
    signal.throwIfAborted()
    for (const orphan of found) {
      counts[orphan.kind] += 1
      counts.bytes += orphan.sizeBytes ?? 0
      printer.row({ ...orphan })
    }
    if (!removes) continue
    await inParallel(found, async (orphan) => {
      // A repair may have named the object in the meantime.
      if ((await withoutRow(db, [orphan], olderThanSeconds)).length === 0) return
      await remove(orphan)
      counts.removed += 1
    })
    log.info({ ...counts }, 'deleted so far')
  }
  log.info({ ...counts }, removes ? 'deleted' : 'listed; nothing was deleted')

  async function remove({ kind, name, network, reference }: Orphan): Promise<void> {
    if (network !== null && reference !== null) {
      await networks.get(network)?.remove({ blobId: name, reference, ref: {} }, signal)
    } else if (kind === 'upload') await hotTier.abortUploads(name)
    else await hotTier.remove(name, signal)
  }
}

/** Not in the namespace of file keys. */
const KEY = 'tideport-bucket.json'

/**
 * Writes the installation's ID to the bucket. With another database, or in a shared bucket, every object would look
 * like an orphan.
 */
async function markBucket(installation: Installation, { log, signal }: CommandContext): Promise<void> {
  const id = await installationIdOf(installation.db)()
  const found = await readMarker(installation)
  if (found !== null && found !== id) throw foreign(found)
  const body = Readable.from([Buffer.from(`${JSON.stringify({ installation: id })}\n`)])
  if (found === null) await installation.hotTier.store(KEY, { mimeType: 'application/json', body }, signal)
  log.info({ installation: id }, found === null ? 'the bucket is marked' : 'the bucket is already marked')
}

/** Throws `Error` with a sentence if the marker is missing or names another installation. */
async function assertOwnBucket(installation: Installation): Promise<void> {
  const found = await readMarker(installation)
  if (found === null) {
    throw new Error(
      'the bucket has no marker. If only this installation uses the bucket, run operator orphans --mark-bucket',
    )
  }
  if (found !== (await installationIdOf(installation.db)())) throw foreign(found)
}

async function readMarker({ hotTier }: Installation): Promise<string | null> {
  const bytes = await hotTier.open(KEY, undefined, AbortSignal.timeout(10_000))
  if (bytes === null) return null
  const { installation } = JSON.parse((await buffer(bytes)).toString())
  return String(installation)
}

function foreign(found: string): Error {
  return new Error(`the bucket belongs to installation ${found}, not to this one`)
}
