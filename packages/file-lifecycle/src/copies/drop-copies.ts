import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { sql } from 'kysely'
import { type ClaimedCopy, markDropped, nameOf } from '../state/copy-transitions.ts'
import { claimedAtMs, hasEnoughLease, isNamed, type NamedCopy } from '../state/file-copies.ts'
import type { CopyRow } from '../state/tables.ts'
import { claimOn, copyRows } from '../work/claim.ts'
import { withFile, writeCopy } from '../work/claim-step.ts'
import { checkSoon } from '../work/failures.ts'
import { type DueRowsDeps, processDueRows } from '../work/process-due-rows.ts'
import { type ReconcileDeps, reconcileFile } from './reconcile.ts'

export interface DropDeps extends DueRowsDeps, ReconcileDeps {}

/**
 * Periodic task: drops copies on a network once another network confirms that it has the file. Ignores the current
 * role.
 */
export async function dropCopies(deps: DropDeps, network: StorageNetwork, signal: AbortSignal): Promise<boolean> {
  return await processDueRows(deps, signal, {
    rows: copyRows,
    name: 'drop copies',
    due: { where: sql`network = ${network.name} and state = 'dropping' and due_at <= now()`, by: sql`due_at` },
    putOff: (until) => sql`claimed_until = null, due_at = ${until}`,
    visit: (copy) => visit(deps, network, copy, signal),
  })
}

async function visit(deps: DropDeps, network: StorageNetwork, copy: CopyRow, stopping: AbortSignal): Promise<void> {
  const { db } = deps
  const claimed = await withFile(db, copy)
  if (claimed === null) return
  await claimOn(db, copy).run(stopping, async (signal) => {
    if (isNamed(copy)) {
      if (!(await isHeldElsewhere(deps, claimed, signal)))
        throw new Error('No other network confirms that it has the file')
      await failpoint('drop.before-removal')
      signal.throwIfAborted()
      await letGo(network, copy, deps, signal)
      await failpoint('drop.after-removal')
    }
    await writeCopy(db, claimed, (current) => markDropped(db, current))
    await failpoint('drop.after-row')
    await reconcileFile(deps, copy.fileId)
  })
}

/** Schedules a check of each copy that is not confirmed, so that the drop need not wait for its next one. */
async function isHeldElsewhere(
  { db, networks }: Pick<DropDeps, 'db' | 'networks'>,
  { file, copies, copy }: ClaimedCopy,
  signal: AbortSignal,
): Promise<boolean> {
  for (const other of copies) {
    const network = networks.get(other.network)
    if (other.network === copy.network || other.state !== 'proved' || !isNamed(other) || !network) continue
    const answer = await network.stat(nameOf(other), signal).catch(() => null)
    if (answer?.state !== 'present' || answer.sizeBytes !== file.sizeBytes) {
      await checkSoon(db, file.id, [other.network])
    } else if (hasEnoughLease(other, answer.expiresAt, claimedAtMs(copy))) return true
  }
  return false
}

/** Removes a copy from its network. Logs a locked copy that stays until its lease ends. */
export async function letGo(
  network: StorageNetwork,
  copy: NamedCopy,
  { log }: { log: Log },
  signal: AbortSignal,
): Promise<void> {
  const removal = await network.remove(nameOf(copy), signal)
  if (removal.outcome === 'released') return
  log.info(
    { fileId: copy.fileId, network: network.name, until: removal.expiresAt },
    'the network keeps a locked copy until its lease ends',
  )
}
