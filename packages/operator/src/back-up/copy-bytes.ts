import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { cutWhenIdle, openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import { type FileCopies, withCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { Installation } from '../open-installation.ts'
import { objectName } from './manifest.ts'
import type { Sealer } from './sealed.ts'
import type { BackupTarget } from './target/target.ts'

const ATTEMPTS = 4
const PAUSE_MS = 2_000

/** The bytes of one file cannot be read. Errors of the target are not of this class. */
class SourceError extends Error {
  override name = 'SourceError'
}

export interface Copying {
  installation: Installation
  target: BackupTarget
  sealer: Sealer
  signal: AbortSignal
}

/** `deleted`: meanwhile. `unreadable`: in several attempts, over several seconds. */
export type Copied = { outcome: 'copied' } | { outcome: 'deleted' } | { outcome: 'unreadable'; reason: string }

/** Copies the bytes of one file. Throws when the target fails repeatedly. */
export async function copyBytes(copying: Copying, known: FileCopies): Promise<Copied> {
  let latest = known
  for (let attempt = 1; ; attempt += 1) {
    try {
      await copyOnce(copying, latest)
      return { outcome: 'copied' }
    } catch (error) {
      copying.signal.throwIfAborted()
      if (attempt === ATTEMPTS && !(error instanceof SourceError)) throw error
      // The file may have been evicted or deleted since its row was read.
      const current = await readAgain(copying, known)
      if (current === null) return { outcome: 'deleted' }
      if (attempt === ATTEMPTS) return { outcome: 'unreadable', reason: (error as Error).message }
      latest = current
      if (attempt > 1) await delay(PAUSE_MS * (attempt - 1), undefined, { signal: copying.signal })
    }
  }
}

async function readAgain({ installation: { db } }: Copying, { file }: FileCopies): Promise<FileCopies | null> {
  const current = await db.selectFrom('file').selectAll().where('id', '=', file.id).executeTakeFirst()
  return current === undefined || current.purgingAt !== null ? null : await withCopies(db, current)
}

async function copyOnce({ installation, target, sealer, signal }: Copying, known: FileCopies): Promise<void> {
  const name = objectName(known.file.id)
  const { bytes, source } = await openBytes(installation, known, undefined, signal).catch((error: Error) => {
    throw new SourceError(error.message, { cause: error })
  })
  try {
    const checked = checkedBytes(cutWhenIdle(bytes, source), known.file)
    await target.put(name, sealer.seal(name, checked), signal)
  } finally {
    bytes.destroy()
  }
}

async function* checkedBytes(
  bytes: AsyncIterable<Uint8Array>,
  { sizeBytes, sha256 }: { sizeBytes: number; sha256: string | null },
): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256')
  let readBytes = 0
  const iterator = bytes[Symbol.asyncIterator]()
  for (;;) {
    const next = await iterator.next().catch((error: Error) => {
      throw new SourceError(error.message, { cause: error })
    })
    if (next.done) break
    digest.update(next.value)
    readBytes += next.value.length
    yield next.value
  }
  if (readBytes !== sizeBytes || (sha256 !== null && digest.digest('hex') !== sha256))
    throw new SourceError('The bytes do not match the checksum of the file')
}
