import { createHash, hash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { type FileRow, type FilesDb, schema } from '@tideport/file-lifecycle/state/tables'
import { type HotTier, openHotTier } from '@tideport/hot-tier/hot-tier'
import { checkDigests, type DigestCheck } from '@tideport/hot-tier/read-object'
import type { HotTierConfig } from '@tideport/hot-tier/store-calls'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import { prepareBucket } from '@tideport/set-up/prepare-bucket'
import type { Kysely } from 'kysely'
import { assertEmptyBucket, readMark, removeMark, writeMark } from '../back-up/empty-places.ts'
import { DamagedError } from '../back-up/sealed.ts'
import { partBytesOf } from '../back-up/walk-files.ts'
import type { CommandContext } from '../command.ts'
import { inBatches } from '../in-batches.ts'
import { bucketOf } from '../set-up/servers.ts'
import { compareBuckets, type Difference, type Total } from './compare-buckets.ts'

const BATCH = 64
/** Each round copies the objects that the earlier ones could not copy. The last one finds no difference. */
const ROUNDS = 4
const PAUSE_MS = 5_000
const FAILURES_MAX = 20
const TELL_EVERY_MS = 10_000
/** Larger objects are stored in parts, so that a slow connection is no failure. */
const WHOLE_BYTES = 1024 ** 2

export interface ObjectsMove {
  from: HotTierConfig
  to: HotTierConfig
  /** Of files. */
  databaseUrl: string
  /** Of this move. A bucket with objects of other moves is refused. */
  id: string
}

export type MoveContext = Pick<CommandContext, 'log' | 'print' | 'signal'>

/**
 * Makes the objects of `to` equal to those of `from`, which nobody may change meanwhile. The bytes are compared with
 * the checksums of files or of the store, and `to` verifies the SHA-256 of each part. Repeatable.
 */
export async function moveObjects(move: ObjectsMove, context: MoveContext): Promise<Total> {
  const { from, to, databaseUrl } = move
  const { log, print, signal } = context
  using source = openHotTier(from)
  using target = openHotTier(to)
  await claimBucket(move, target, signal)
  await failpoint('move-out.claimed')
  await using db = openDatabase<FilesDb>({ databaseUrl, databasePoolSize: 1, schema, name: 'move-out', log })
  const moving = { source, target, db, canPutOnce: await target.canPutOnce(), signal }
  const copied = { objects: 0, bytes: 0 }
  let toldAt = performance.now()
  for (let round = 1; ; round += 1) {
    const same = { objects: 0, bytes: 0 }
    const failures: Failure[] = []
    let different = 0
    for await (const batch of inBatches(compareBuckets(from, to, same), BATCH)) {
      different += batch.length
      await moveBatch(moving, batch, copied, failures)
      await failpoint('move-out.batch')
      if (performance.now() - toldAt < TELL_EVERY_MS) continue
      toldAt = performance.now()
      print(`${copied.objects} objects copied, ${copied.bytes} bytes`)
    }
    if (different === 0) return same
    const isDamaged = failures.some(({ error }) => error instanceof DamagedError)
    if (isDamaged || round === ROUNDS) throw unmoved(failures, different)
    const [first] = failures
    if (first === undefined) continue
    log.warn({ failures: failures.length, key: first.key, err: first.error }, 'objects were not copied')
    await delay(PAUSE_MS, undefined, { signal })
  }
}

async function claimBucket({ to, id }: ObjectsMove, target: HotTier, signal: AbortSignal): Promise<void> {
  await prepareBucket(bucketOf(to), undefined).catch((error: Error) => {
    const reason = `${error.name}: ${error.message}`
    throw new Error(`The bucket ${to.s3Bucket} cannot be created or used: ${reason}`, { cause: error })
  })
  if ((await readMark(target, signal)) === id) return
  await assertEmptyBucket(to)
  await writeMark(target, id, signal)
}

/** Later moves and restores into the bucket are refused. */
export async function finishObjects({ to, id }: Pick<ObjectsMove, 'to' | 'id'>, signal: AbortSignal): Promise<void> {
  using target = openHotTier(to)
  if ((await readMark(target, signal)) === id) await removeMark(target)
}

interface Moving {
  source: HotTier
  target: HotTier
  db: Kysely<FilesDb>
  canPutOnce: boolean
  signal: AbortSignal
}

type Failure = { key: string; error: Error }

/** Collects failures, so that a damaged object does not stop the others. Throws after too many. */
async function moveBatch(moving: Moving, batch: Difference[], copied: Total, failures: Failure[]): Promise<void> {
  const { db, signal } = moving
  const ids = [...new Set(batch.map(({ fileId }) => fileId))]
  const rows = await db.selectFrom('file').selectAll().where('id', 'in', ids).execute()
  const files = new Map(rows.map((file) => [file.id, file]))
  await inParallel(batch, async (difference) => {
    signal.throwIfAborted()
    const { key, from, fileId } = difference
    try {
      await moveObject(moving, difference, files.get(fileId))
      if (from === null) return
      copied.objects += 1
      copied.bytes += from
    } catch (error) {
      signal.throwIfAborted()
      failures.push({ key, error: error as Error })
      if (failures.length >= FAILURES_MAX) throw unmoved(failures)
    }
  })
}

function unmoved(failures: readonly Failure[], different = failures.length): Error {
  const damaged = failures.filter(({ error }) => error instanceof DamagedError)
  if (damaged.length > 0) {
    const keys = damaged.map(({ key }) => key).join(', ')
    return new Error(
      `${damaged.length} objects do not match their checksums: ${keys}. Start without S3_ENDPOINT, delete these files, and run move-out again`,
    )
  }
  const [first] = failures
  if (first === undefined) return new Error(`${different} objects differ after the copy. Run move-out again`)
  const { key, error } = first
  const reason = error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
  return new Error(
    `${failures.length} objects could not be copied, such as ${key}: ${reason}. Run move-out again to continue`,
    { cause: error },
  )
}

async function moveObject(
  { source, target, canPutOnce, signal }: Moving,
  { key, from: sizeBytes, to: oldBytes }: Difference,
  file: FileRow | undefined,
): Promise<void> {
  if (oldBytes !== null) await target.remove(key, signal)
  if (sizeBytes === null) return
  const bytes = await source.open(key, { sizeBytes }, signal)
  if (bytes === null) throw new Error('The object was deleted')
  try {
    const mimeType = file?.mimeType ?? 'application/octet-stream'
    const partBytes = file === undefined ? null : partBytesOf(file)
    const body = checkedBytes(bytes, await expectedOf(source, key, { sizeBytes, file }, signal))
    if (canPutOnce && file?.uploadForm !== 'parts' && sizeBytes <= WHOLE_BYTES) {
      const whole = await buffer(body)
      const sha256 = hash('sha256', whole)
      await target.putWhole(key, mimeType, { pieces: [whole], sizeBytes, sha256 })
    } else await target.store(key, { mimeType, body, ...(partBytes !== null && { partBytes }) }, signal)
  } finally {
    bytes.destroy()
  }
}

interface Expected {
  sizeBytes: number
  sha256: string | null
  /** By the ETag, if no checksum is known. */
  check: DigestCheck | null
}

/** The object of an earlier upload of this file may have other bytes, so only the store knows its checksum. */
async function expectedOf(
  source: HotTier,
  key: string,
  { sizeBytes, file }: { sizeBytes: number; file: FileRow | undefined },
  signal: AbortSignal,
): Promise<Expected> {
  if (file?.hotKey === key && file.sha256 !== null) return { sizeBytes, sha256: file.sha256, check: null }
  const partSizeBytes = file?.uploadForm === 'parts' ? (file.partSizeBytes ?? sizeBytes) : null
  return {
    sizeBytes,
    sha256: null,
    check: checkDigests(await source.digests(key, signal), { sizeBytes, partSizeBytes }),
  }
}

/** Throws `DamagedError` at the end. The embedded store uses MD5 for ETags. */
async function* checkedBytes(bytes: AsyncIterable<Uint8Array>, { sizeBytes, sha256, check }: Expected) {
  const digest = createHash('sha256')
  let readBytes = 0
  for await (const chunk of check?.watch(bytes) ?? bytes) {
    digest.update(chunk)
    readBytes += chunk.length
    yield chunk
  }
  if (readBytes !== sizeBytes) throw new Error(`The store sent ${readBytes} bytes instead of ${sizeBytes}`)
  const read = digest.digest('hex')
  const isOther = check === null ? read !== sha256 : ['other', 'unlike'].includes(check.compare(read))
  if (isOther) throw new DamagedError('The bytes do not match the checksum')
}
