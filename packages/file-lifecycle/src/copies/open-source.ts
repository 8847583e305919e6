import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { checkDigests, type DigestCheck } from '@tideport/hot-tier/read-object'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { NetworkError } from '@tideport/storage-network/errors'
import type { Proof, StorageNetwork } from '@tideport/storage-network/storage-network'
import { type Kysely, sql } from 'kysely'
import { appendEvents, timelinePayload } from '../state/append-event.ts'
import { type ClaimedCopy, nameOf } from '../state/copy-transitions.ts'
import { isNamed, type NamedCopy, possibleSources } from '../state/file-copies.ts'
import type { CopyRow, FileRow, FilesDb } from '../state/tables.ts'
import { checkSoon, isGone, SourceError } from '../work/failures.ts'
import type { Networks } from './networks.ts'
import { cutWhenIdle } from './open-bytes.ts'

/** Disposing of it closes the source of the bytes. */
export interface Source extends Disposable {
  bytes: AsyncIterable<Uint8Array>
}

/**
 * The bytes to copy, from the hot object, another readable copy, or the unfinished result of a crashed worker.
 * Schedules checks of unreadable copies. Null: no place has the bytes. Throws while the hot tier, or each network that
 * may have them, is unavailable.
 */
export async function openSource(
  { db, hotTier, networks }: { db: Kysely<FilesDb>; hotTier: HotTier; networks: Networks },
  { file, copies, copy }: ClaimedCopy,
  signal: AbortSignal,
): Promise<Source | null> {
  const { hotKey, sizeBytes } = file
  const hot = hotKey === null ? null : await hotTier.open(hotKey, { sizeBytes }, signal)
  if (hot) return asSource(cutWhenIdle(hot, 'hot tier'))
  let down: unknown
  const others = possibleSources(copies, networks).filter(({ network }) => network !== copy.network)
  for (const other of [...others, ...leftBehind(copy)]) {
    const network = networks.get(other.network)
    if (network === undefined) continue
    try {
      return asSource(cutWhenIdle(await network.open(nameOf(other), { signal }), 'storage network'))
    } catch (error) {
      if (signal.aborted) throw error
      if (!isGone(error)) down = error
      if (!isUnreachable(error)) await checkSoon(db, file.id, [other.network])
    }
  }
  if (down !== undefined) throw new SourceError('No copy can be read at the moment', { cause: down })
  return null
}

function isUnreachable(error: unknown): boolean {
  return error instanceof NetworkError && error.code === 'unreachable'
}

/** A copy that a worker may have committed before it crashed. */
function leftBehind(copy: ClaimedCopy['copy']): NamedCopy[] {
  return isNamed(copy) && copy.lostAt === null ? [copy] : []
}

function asSource(body: Readable): Source {
  return { bytes: bytesOf(body), [Symbol.dispose]: () => body.destroy() }
}

/** Distinguishes failures of reading from failures of storing. */
async function* bytesOf(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body as AsyncIterable<Uint8Array>
  } catch (error) {
    throw new SourceError('Reading the bytes from their source failed', { cause: error })
  }
}

type Deps = Parameters<typeof openSource>[0]

/** Null: the checksum is already known. */
export async function openCheck(
  { hotTier }: { hotTier: HotTier },
  file: FileRow,
  signal: AbortSignal,
): Promise<DigestCheck | null> {
  if (file.sha256 !== null || file.checksumDeclared !== null || file.hotKey === null) return null
  const partSizeBytes = file.uploadForm === 'parts' ? (file.partSizeBytes ?? file.sizeBytes) : null
  return checkDigests(await hotTier.digests(file.hotKey, signal), { sizeBytes: file.sizeBytes, partSizeBytes })
}

/**
 * Throws unless the bytes that were read are those of the store, by its checksum or ETag or by a second read
 * (ADR 0011). The last attempt ignores the ETag, so an ETag alone never fails a file permanently.
 */
export async function assertStored(
  deps: Deps & { syncAttemptsMax: number },
  claimed: ClaimedCopy,
  { check, sha256 }: { check: DigestCheck; sha256: string },
  signal: AbortSignal,
): Promise<void> {
  const comparison = check.compare(sha256)
  if (comparison === 'same') return
  if (comparison !== 'other') await assertSameAgain(deps, claimed, sha256, signal)
  const isLast = claimed.copy.attempt + 1 >= deps.syncAttemptsMax
  if (comparison === 'unknown' || (comparison === 'unlike' && isLast)) return
  if (comparison === 'unlike' && !(await deps.hotTier.hasMd5ETags(check.form, signal))) return
  throw new SourceError('The bytes do not match the digest that the store reports')
}

/** Only two equal reads permit a permanent conclusion, because a proxy may have sent the first response. */
export async function assertSameAgain(
  deps: Deps,
  claimed: ClaimedCopy,
  sha256: string,
  signal: AbortSignal,
): Promise<void> {
  using source = await openSource(deps, claimed, signal)
  const hash = createHash('sha256')
  for await (const chunk of source?.bytes ?? []) hash.update(chunk)
  if (hash.digest('hex') !== sha256) throw new SourceError('Two reads of the same object returned different bytes')
}

/**
 * Reads the complete copy under this reference, and returns its digest if the bytes are the file's. For a file without
 * a digest, the network verifies the bytes and their size decides. Null: absent, or other bytes.
 */
export async function findHeld(
  deps: { db: Kysely<FilesDb>; log: Log },
  network: StorageNetwork,
  file: FileRow,
  copy: NamedCopy,
  signal: AbortSignal,
): Promise<{ sha256: string; leaseExpiresAt: Date | null } | null> {
  const { sizeBytes } = file
  const sha256 = file.sha256 ?? file.checksumDeclared?.toLowerCase()
  if (sha256 !== undefined) {
    const proof = await network.prove(nameOf(copy), { sha256, sizeBytes }, signal)
    await noteMended(deps, copy, proof)
    return proof.ok ? { sha256, leaseExpiresAt: proof.expiresAt } : null
  }
  const read = await hashHeld(network, copy, signal)
  if (read?.sizeBytes !== sizeBytes) return null
  const answer = await network.stat(nameOf(copy), signal)
  return answer.state === 'present' ? { sha256: read.sha256, leaseExpiresAt: answer.expiresAt } : null
}

async function hashHeld(
  network: StorageNetwork,
  copy: NamedCopy,
  signal: AbortSignal,
): Promise<{ sha256: string; sizeBytes: number } | null> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  try {
    const body = cutWhenIdle(await network.open(nameOf(copy), { signal }), 'storage network')
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      hash.update(chunk)
      sizeBytes += chunk.length
    }
  } catch (error) {
    if (isGone(error)) return null
    throw error
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}

/** Records a repair by a proof in the log and the timeline. */
export async function noteMended(
  { db, log }: { db: Kysely<FilesDb>; log: Log },
  { fileId, network }: Pick<CopyRow, 'fileId' | 'network'>,
  proof: Proof,
): Promise<void> {
  if (!proof.ok || proof.mended === undefined) return
  const mended = proof.mended.join(', ')
  log.warn({ fileId, network, mended }, 'a copy was repaired in place')
  const from = sql`(select id, account_id from file where id = ${fileId} and purging_at is null) as told_of`
  const payload = timelinePayload({ network, mended })
  await appendEvents({ kind: 'file', type: 'copy.mended', payload, from }).execute(db)
}
