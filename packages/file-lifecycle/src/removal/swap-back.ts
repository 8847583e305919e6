import { currentCause } from '@tideport/service-kit/context/request-context'
import { type Kysely, sql } from 'kysely'
import { eventPayload } from '../state/append-event.ts'
import { blobIdIn } from '../state/file-copies.ts'
import { changeStatement, type FileChange, type Guarded, guardedUpdates } from '../state/guarded-update.ts'
import { untilTaken } from '../state/queries.ts'
import { CONFIRMED } from '../state/state.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { findOccupant, takingPaths } from '../state/take-path.ts'
import { alone, type ManyRows } from '../state/writes.ts'
import { dueAgain, endAhead, type Restoring } from './trash.ts'

export type Swapping = Restoring & {
  retentionSeconds: number
  /** `fail`: a file whose path is taken stays in the trash. */
  onConflict: 'fail' | 'replace'
}

/** Takes files that were replaced back. One that is overtaken at its path violates an index, which ends a transaction. */
export const swaps: ManyRows<Guarded & Swapping, FileRow> = {
  waitsWith: ({ file }) => file.accountId,
  write: (db, items, held) => guardedUpdates(db, items, changeStatement(swappingLike(items[0]), held)),
}
const swapping = takingPaths(swaps)

function swappingLike({ evictWaitSeconds, retentionSeconds, networks, onConflict }: Swapping): FileChange<Guarded> {
  return {
    from: CONFIRMED,
    inTrashToo: true,
    where: sql`file.deleted_at is not null and file.replaced_by is not null
      and (select vault.deleted_at is null from vault where vault.id = file.vault_id)`,
    set: {
      deletedAt: sql`null`,
      purgeDueAt: sql`null`,
      onConflict: sql`${onConflict}::text`,
      evictDueAt: dueAgain(evictWaitSeconds),
      expiresAt: endAhead,
    },
    takesPath: {
      path: sql`file.path`,
      onConflict: sql`${onConflict}::text`,
      comesBack: true,
      retentionSeconds,
      networks,
    },
    events: [{ type: 'file.restored', payload: eventPayload('file.restored', { blobId: blobIdIn(networks) }) }],
  }
}

/**
 * Takes a file that was replaced back out of the trash, and whoever has its path now goes there in its place, in one
 * statement. Null: it is not in the trash any more, its vault is, its path is taken, or others were quicker again and again.
 */
export function swapBack(db: Kysely<FilesDb>, file: FileRow, restoring: Swapping): Promise<FileRow | null> {
  const write = (current: FileRow) => alone(db).write(swapping, { file: current, ...restoring, cause: currentCause() })
  return untilTaken(db, file, write, async (again) => {
    if (again.deletedAt === null || again.purgingAt !== null) return false
    return restoring.onConflict === 'replace' || (await findOccupant(db, again)) === null
  })
}
