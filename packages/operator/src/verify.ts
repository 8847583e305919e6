import { parseArgs } from 'node:util'
import { readAgain } from '@tideport/file-lifecycle/state/queries'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { NetworkError } from '@tideport/storage-network/errors'
import { type Command, type CommandContext, UsageError } from './command.ts'
import { inParallel } from './in-parallel.ts'
import { type Installation, openInstallation } from './open-installation.ts'
import { parseCount, parseUuid } from './options.ts'
import { allCopies, copyOf, sampleOfCopies } from './read-copies.ts'

const SAMPLE_MAX = 1_000_000

/** Reads copies as an eviction would before it trusts them. */
export const verify: Command = {
  usage: '(--sample N | --file ID | --all [--after ID]) [--network embedded] [--json]',
  summary: 'Reads copies on the network back in full and proves them against their checksums; writes nothing',
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
    await using installation = openInstallation(context)
    const { db, network } = installation
    if ((values.network ?? network.id) !== network.id) throw new UsageError(`the network is ${network.id}`)
    await network.health(context.signal)
    const copies = file
      ? copyOf(db, parseUuid('file', file))
      : all
        ? allCopies(db, network.id, begin)
        : sampleOfCopies(db, network.id, size)
    await verifyAll(context, installation, copies, values)
  },
}

async function verifyAll(
  { print, log, signal }: CommandContext,
  installation: Installation,
  batches: AsyncIterable<FileRow[]>,
  { json }: { json: boolean },
): Promise<void> {
  const counts = { proved: 0, failed: 0, changed: 0, bytes: 0 }
  using printer = createPrinter(print, { json })
  for await (const files of batches) {
    await inParallel(files, async (file) => {
      const outcome = await verifyCopy(installation, file, signal)
      if (outcome === 'proved') counts.bytes += file.sizeBytes
      if (outcome === 'proved' || outcome === 'changed') counts[outcome] += 1
      else {
        counts.failed += 1
        printer.row({ fileId: file.id, accountId: file.accountId, status: file.status, blobId: file.blobId, outcome })
      }
    })
    log.info({ ...counts, after: files.at(-1)?.id }, 'verified up to here')
  }
  print(
    json ? JSON.stringify(counts) : `${counts.proved} copies proved, ${counts.failed} failed, ${counts.bytes} bytes`,
  )
  if (counts.failed > 0) throw new Error(`${counts.failed} copies do not hold`)
}

/** `changed`: purged or synced anew meanwhile, so the row that was read says nothing any more. */
async function verifyCopy(
  { db, network }: Installation,
  file: FileRow,
  signal: AbortSignal,
): Promise<'proved' | 'changed' | 'absent' | 'mismatch' | 'unreadable'> {
  const expected = { sha256: file.sha256 ?? '', sizeBytes: file.sizeBytes }
  const proof = await network.prove(file.blobId ?? '', file.id, expected, signal).catch((error: unknown) => {
    if (error instanceof NetworkError && error.code === 'copy_failed') return { ok: false, reason: 'unreadable' } as const // biome-ignore format: one chain
    throw error
  })
  if (proof.ok) return 'proved'
  const again = await readAgain(db, file.id)
  return again?.version === file.version ? proof.reason : 'changed'
}
