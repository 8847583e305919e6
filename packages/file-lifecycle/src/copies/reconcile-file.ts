import { failpoint } from '@tideport/service-kit/process/failpoint'
import { type Kysely, sql } from 'kysely'
import { timelinePayload } from '../state/append-event.ts'
import { beginDropping } from '../state/copy-transitions.ts'
import { type FileCopies, readFileCopies } from '../state/file-copies.ts'
import { guardedUpdate } from '../state/guarded-update.ts'
import type { FilesDb } from '../state/tables.ts'
import { markFailed } from '../state/transitions.ts'
import type { Networks } from './networks.ts'
import { type Change, reconcile } from './reconcile.ts'

export interface ReconcileDeps {
  db: Kysely<FilesDb>
  networks: Networks
  settleSeconds: number
}

/** More changes than one file can need, unless others change it all the time. */
const CHANGES_MAX = 20

/**
 * Brings a file's copies a step nearer to what the configuration wants, until nothing is left to decide. Called after
 * every change of a copy, and by a walk over all files. Repeating it is harmless; what a crash leaves undone the walk
 * does.
 */
export async function reconcileFile(deps: ReconcileDeps, fileId: string): Promise<number> {
  let changes = 0
  for (let refusedAt = 0; changes < CHANGES_MAX; ) {
    const seen = await readFileCopies(deps.db, fileId)
    if (seen === null) return changes
    const change = reconcile(seen, deps.networks, seen.seenAt.getTime())
    // Refused, though nothing else happened to the file: such as for one in a vault that is in the trash.
    if (change === null || refusedAt === seen.file.version) return changes
    await failpoint(`reconcile.before-${change.kind}`)
    if (!(await apply(deps, seen, change))) {
      refusedAt = seen.file.version
      continue
    }
    changes += 1
    await failpoint(`reconcile.after-${change.kind}`)
  }
  return changes
}

/** Reconciles a file that the caller has just written: where nothing follows from that, nothing is read again. */
export async function reconcileWritten(deps: ReconcileDeps, written: FileCopies): Promise<void> {
  if (reconcile(written, deps.networks, Date.now()) !== null) await reconcileFile(deps, written.file.id)
}

async function apply(
  { db, networks, settleSeconds }: ReconcileDeps,
  found: FileCopies,
  change: Change,
): Promise<unknown> {
  const { file } = found
  const anywhere = { file, from: ['hot', 'synced', 'cold', 'error'] as const, inTrashToo: true }
  switch (change.kind) {
    case 'plan': {
      const events = change.networks.map((network) => ({ type: 'copy.planned', payload: timelinePayload({ network }) }))
      return await guardedUpdate(db, { ...anywhere, plans: change.networks, events })
    }
    case 'drop':
      return await beginDropping(db, found, networks, change.copy, { settleSeconds })
    case 'evict':
      return await guardedUpdate(db, { ...anywhere, set: { evictDueAt: sql`now()` }, events: [] })
    case 'lost':
      return await markFailed(db, file, networks, 'content_lost')
  }
}
