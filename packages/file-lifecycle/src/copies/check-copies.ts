import { createPace, type Pace } from '@tideport/service-kit/process/pace'
import { NetworkError } from '@tideport/storage-network/errors'
import type { Proof, StorageNetwork } from '@tideport/storage-network/storage-network'
import { sql } from 'kysely'
import type { ClaimedCopy } from '../state/copy-transitions.ts'
import { hasOtherSource } from '../state/file-copies.ts'
import type { CopyRow } from '../state/tables.ts'
import { claimOn, copyRows } from '../work/claim.ts'
import { withFile } from '../work/claim-step.ts'
import { restoringSeconds } from '../work/failures.ts'
import { type DueRowsDeps, processDueRows } from '../work/process-due-rows.ts'
import { takeCheck, tomorrow } from './check-budget.ts'
import { lose, PROOFS_MAX, type ProveDeps, readBack, spread } from './prove-copy.ts'

export interface CheckDeps extends DueRowsDeps, ProveDeps {
  /** The average over several copies. */
  copyCheckBytesPerSecond: number
}

/**
 * Periodic task: reads proved copies in full again (ADR 0014). Each network has its own task, so no network blocks
 * another.
 */
export async function checkCopies(deps: CheckDeps, network: StorageNetwork, signal: AbortSignal): Promise<boolean> {
  const pace = createPace(deps.copyCheckBytesPerSecond)
  const hasMore = await processDueRows(deps, signal, {
    rows: copyRows,
    name: 'check copies',
    due: { where: sql`network = ${network.name} and state = 'proved' and due_at <= now()`, by: sql`due_at` },
    putOff: (until) => sql`claimed_until = null, due_at = ${until}`,
    visit: (copy) => visit(deps, network, copy, pace, signal),
  })
  await pace(0, signal)
  return hasMore
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
  if (claimed === null) return await leaveDropping(deps, copy)
  const claim = claimOn(db, copy)
  await claim.run(stopping, async (signal) => {
    const budget = deps.networks.checkBudgetOf(network.name)
    if (budget && !(await takeCheck(db, network.name, budget, claimed.file.sizeBytes))) {
      await claim.end(sql`due_at = ${tomorrow}`)
      return
    }
    await pace(claimed.file.sizeBytes, signal)
    const proof = await readTwice(deps, network, claimed, signal)
    if ('restoringSeconds' in proof) {
      await claim.end(sql`due_at = now() + make_interval(secs => ${proof.restoringSeconds})`)
      return
    }
    if (!proof.ok) {
      await lose(deps, claimed, proof.reason)
      return
    }
    const next = sql`now() + make_interval(secs => ${spread(copyCheckSeconds)})`
    const checked = sql`checked_at = now(), checks_ok = checks_ok + 1, attempt = 0, due_at = ${next}`
    if (!(await claim.end(checked))) await leaveDropping(deps, copy)
  })
}

/**
 * Reads a copy again before it is lost. A copy that stays unreadable counts as lost; an archived one waits for its
 * restore.
 */
async function readTwice(
  deps: CheckDeps,
  network: StorageNetwork,
  claimed: ClaimedCopy,
  signal: AbortSignal,
): Promise<Proof | { ok: false; reason: 'unreadable' } | { restoringSeconds: number }> {
  try {
    const proof = await readBack(deps, network, claimed, signal)
    return proof.ok ? proof : await readBack(deps, network, claimed, signal)
  } catch (error) {
    const restoring = restoringSeconds(error)
    if (restoring !== null) return { restoringSeconds: restoring }
    const isUnreadable = error instanceof NetworkError && error.code === 'copy_failed'
    const isLast = claimed.copy.attempt + 1 >= PROOFS_MAX && hasOtherSource(claimed)
    if (isUnreadable && isLast && (await deps.circuit.answers())) return { ok: false, reason: 'unreadable' }
    throw error
  }
}

/** Ends the claim of a copy whose drop has begun in the meantime, because the drop waits for that. */
async function leaveDropping(
  { db, settleSeconds }: Pick<CheckDeps, 'db' | 'settleSeconds'>,
  { fileId, network, fencingToken }: CopyRow,
): Promise<void> {
  await sql`
    update copy set claimed_until = null, due_at = least(due_at, now() + make_interval(secs => ${settleSeconds}))
    where file_id = ${fileId} and network = ${network} and state = 'dropping' and fencing_token = ${fencingToken}`.execute(
    db,
  )
}
