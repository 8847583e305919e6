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

/** Bytes to copy. Disposed of, it lets go of where they come from, read or not. */
export interface Source extends Disposable {
  bytes: AsyncIterable<Uint8Array>
}

/**
 * The bytes to copy: the hot object, or any other copy that verifies, whatever its state but dropped, or what a worker
 * that died left under this very reference. A copy that does not verify is to be checked: it may be mended. Null: they
 * are nowhere. Throws what the hot tier throws while it is down, and `unreachable` when only networks that are down may
 * have them.
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
  if (down !== undefined) throw new SourceError('No copy can be read now', { cause: down })
  return null
}

function isUnreachable(error: unknown): boolean {
  return error instanceof NetworkError && error.code === 'unreachable'
}

/** Named and perhaps committed, by somebody who could not tell any more. What was lost has just been looked for. */
function leftBehind(copy: ClaimedCopy['copy']): NamedCopy[] {
  return isNamed(copy) && copy.lostAt === null ? [copy] : []
}

function asSource(body: Readable): Source {
  return { bytes: bytesOf(body), [Symbol.dispose]: () => body.destroy() }
}

/** What fails in reading is told apart from what fails in storing. */
async function* bytesOf(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body as AsyncIterable<Uint8Array>
  } catch (error) {
    throw new SourceError('The bytes broke off', { cause: error })
  }
}

type Deps = Parameters<typeof openSource>[0]

/** Of bytes whose checksum is known, null: they are compared with that. */
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
 * Throws unless the bytes that were read, which have this SHA-256, are those that the store keeps: by its checksum or ETag, or
 * because they were read twice (docs/adr/0116). An ETag alone never fails a file permanently: the last attempt goes without it.
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
  throw new SourceError('The bytes are not those that the store names a digest of')
}

/** A permanent conclusion needs two reads: a proxy may have answered once in the store's place. */
export async function assertSameAgain(
  deps: Deps,
  claimed: ClaimedCopy,
  sha256: string,
  signal: AbortSignal,
): Promise<void> {
  using source = await openSource(deps, claimed, signal)
  const hash = createHash('sha256')
  for await (const chunk of source?.bytes ?? []) hash.update(chunk)
  if (hash.digest('hex') !== sha256) throw new SourceError('The same object was read twice with different bytes')
}

/**
 * What a network holds under a copy's reference, when that is the file's bytes: all of it is read. Before a file was
 * stored anywhere nobody knows its digest but perhaps its owner; the bytes then tell it, verified by the network. Null:
 * it is not there, or not those bytes.
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

/** Tells of what a proof mended in place, in the log and in the file's timeline; nothing when it mended nothing. */
export async function noteMended(
  { db, log }: { db: Kysely<FilesDb>; log: Log },
  { fileId, network }: Pick<CopyRow, 'fileId' | 'network'>,
  proof: Proof,
): Promise<void> {
  if (!proof.ok || proof.mended === undefined) return
  const mended = proof.mended.join(', ')
  log.warn({ fileId, network, mended }, 'a copy was mended in place')
  const from = sql`(select id, account_id from file where id = ${fileId} and purging_at is null) as told_of`
  const payload = timelinePayload({ network, mended })
  await appendEvents({ kind: 'file', type: 'copy.mended', payload, from }).execute(db)
}
