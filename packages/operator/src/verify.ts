import { parseArgs } from 'node:util'
import { noteMended } from '@tideport/file-lifecycle/copies/note-mended'
import { nameOf } from '@tideport/file-lifecycle/state/copy-transitions'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { NetworkError } from '@tideport/storage-network/errors'
import { sql } from 'kysely'
import { type Command, type CommandContext, UsageError } from './command.ts'
import { type Installation, openInstallation } from './open-installation.ts'
import { parseCount, parseUuid } from './options.ts'
import { allCopies, type Batch, copiesOf, type HeldCopy, sampleOfCopies } from './read-copies.ts'

const SAMPLE_MAX = 1_000_000

/** Reads copies as an eviction would before it trusts them. */
export const verify: Command = {
  usage: '(--sample N | --file ID | --all [--after ID]) [--network NAME] [--json]',
  summary: 'Reads copies on the networks back in full and proves them against their checksums; counts it in their rows',
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
      throw new UsageError('name one of --sample, --file and --all')
    }
    const size = sample === undefined ? 0 : parseCount('sample', sample, SAMPLE_MAX)
    const begin = after === undefined ? undefined : parseUuid('after', after)
    await using installation = await openInstallation(context)
    const { db, networks } = installation
    const names = networks.order.filter((name) => name === (values.network ?? name))
    if (names.length === 0) throw new UsageError(`the networks are ${networks.order.join(', ')}`)
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
  const counts = { proved: 0, failed: 0, changed: 0, bytes: 0 }
  using printer = createPrinter(print, { json })
  for await (const { copies, last } of batches) {
    await inParallel(copies, async (held) => {
      const { file, copy } = held
      const outcome = await verifyCopy(installation, held, signal)
      if (outcome === 'proved') counts.bytes += file.sizeBytes
      if (outcome === 'proved' || outcome === 'changed') counts[outcome] += 1
      else {
        counts.failed += 1
        const { id: fileId, accountId, status } = file
        printer.row({ fileId, accountId, status, network: copy.network, blobId: copy.blobId, outcome })
      }
    })
    log.info({ ...counts, after: last }, 'verified up to here')
  }
  print(
    json ? JSON.stringify(counts) : `${counts.proved} copies proved, ${counts.failed} failed, ${counts.bytes} bytes`,
  )
  if (counts.failed > 0) throw new Error(`${counts.failed} copies do not hold`)
}

/** `changed`: purged, dropped or stored anew meanwhile, so the row that was read says nothing any more. */
async function verifyCopy(
  installation: Installation,
  held: HeldCopy,
  signal: AbortSignal,
): Promise<'proved' | 'changed' | 'absent' | 'mismatch' | 'unreadable'> {
  const { file, copy } = held
  const network = installation.networks.get(copy.network)
  if (network === undefined) throw new Error(`${copy.network} is not configured`)
  const expected = { sha256: file.sha256 ?? '', sizeBytes: file.sizeBytes }
  const proof = await network.prove(nameOf(copy), expected, signal).catch((error: unknown) => {
    if (error instanceof NetworkError && error.code === 'copy_failed') return { ok: false, reason: 'unreadable' } as const // biome-ignore format: one chain
    throw error
  })
  if (!proof.ok && proof.reason === 'unreadable') return 'unreadable'
  await noteMended(installation, copy, proof)
  const isSame = await noteCheck(installation, held, proof.ok)
  if (proof.ok) return 'proved'
  return isSame ? proof.reason : 'changed'
}

/**
 * Counts in the copy's row; whether it is the one that was read, for no copy changes without its file's version. It
 * stays what it is: eviction, which loses copies and heals them, looks at it at once.
 */
async function noteCheck({ db }: Installation, { file, copy }: HeldCopy, isHeld: boolean): Promise<boolean> {
  const counted = isHeld
    ? sql`checks_ok = checks_ok + 1, checked_at = now()`
    : sql`checks_failed = checks_failed + 1, checked_at = now(), due_at = least(due_at, now())`
  const { rows } = await sql`
    update copy set ${counted}
    where file_id = ${copy.fileId} and network = ${copy.network} and reference = ${copy.reference}
      and state = ${copy.state}
      and exists (select from file where id = ${file.id} and version = ${file.version} and purging_at is null)
    returning 1`.execute(db)
  return rows.length > 0
}
