import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { NetworkError } from '@tideport/storage-network/errors'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { sql } from 'kysely'
import { type ClaimedCopy, nameOf } from '../state/copy-transitions.ts'
import { isNamed } from '../state/file-copies.ts'
import type { CopyRow } from '../state/tables.ts'
import { endClaim, leaveDropping, underClaim, withFile } from '../work/claim.ts'
import { type DrainDeps, drainCopies } from '../work/drain.ts'
import { isGone } from './failures.ts'
import { lose, type ProveDeps, readBack, spread } from './prove-copy.ts'

const RANGE_BYTES = 4 * 1024 * 1024

export interface CheckDeps extends DrainDeps, ProveDeps {
  /** Bytes that this process reads for checks in a second at most. */
  copyCheckBytesPerSecond: number
}

/**
 * One run of the periodic task that looks again and again whether proved copies are still what they were: a random
 * range, verified, and all of it when that does not hold. One network at a time: what is down there stops the others'
 * checks no longer.
 */
export async function checkCopies(deps: CheckDeps, network: StorageNetwork, signal: AbortSignal): Promise<boolean> {
  const pace = createPace(deps.copyCheckBytesPerSecond)
  return await drainCopies(deps, signal, {
    name: 'check copies',
    due: { where: sql`network = ${network.name} and state = 'proved' and due_at <= now()`, by: sql`due_at` },
    putOff: (until) => sql`claimed_until = null, due_at = ${until}`,
    visit: (copy) => visit(deps, network, copy, pace, signal),
  })
}

async function visit(
  deps: CheckDeps,
  network: StorageNetwork,
  copy: CopyRow,
  pace: Pace,
  stopping: AbortSignal,
): Promise<void> {
  const { db, copyCheckSeconds } = deps
  const claimed = await withFile(db, copy)
  if (claimed === null) return await leaveDropping(db, copy, deps)
  await underClaim(db, copy, stopping, async (signal) => {
    const readBytes = await readRange(network, claimed, signal)
    if (readBytes === null) {
      const proof = await readBack(network, claimed, signal)
      if (!proof.ok) {
        await lose(deps, claimed, proof.reason)
        return
      }
    }
    await pace(readBytes ?? claimed.file.sizeBytes, signal)
    const next = sql`now() + make_interval(secs => ${spread(copyCheckSeconds)})`
    const checked = sql`checked_at = now(), checks_ok = checks_ok + 1, attempt = 0, due_at = ${next}`
    if (!(await endClaim(db, copy, checked))) await leaveDropping(db, copy, deps)
  })
}

/** Resolves when so many bytes more are within the budget, of all that are read at once. */
type Pace = (readBytes: number, signal: AbortSignal) => Promise<unknown>

function createPace(bytesPerSecond: number): Pace {
  let freeAt = performance.now()
  return (readBytes, signal) => {
    const now = performance.now()
    freeAt = Math.max(freeAt, now) + (readBytes / bytesPerSecond) * 1000
    return delay(freeAt - now, undefined, { signal })
  }
}

/** How many bytes were read, every one verified; null when the copy is not there or not intact. */
async function readRange(
  network: StorageNetwork,
  { file, copy }: ClaimedCopy,
  signal: AbortSignal,
): Promise<number | null> {
  if (!isNamed(copy)) return null
  const { sizeBytes } = file
  const start = sizeBytes > RANGE_BYTES ? randomInt(sizeBytes - RANGE_BYTES + 1) : 0
  const range = sizeBytes === 0 ? undefined : { start, end: Math.min(start + RANGE_BYTES, sizeBytes) - 1 }
  try {
    let readBytes = 0
    for await (const chunk of await network.open(nameOf(copy), { range, signal })) readBytes += (chunk as Buffer).length
    return readBytes
  } catch (error) {
    if (isGone(error) || (error instanceof NetworkError && error.code === 'refused')) return null
    throw error
  }
}
