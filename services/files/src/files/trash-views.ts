import type { DeletedFile, TrashedFile } from '@tideport/contracts/public/trash'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { type Copies, toFile, toInstant, toNetworkCopies } from '@tideport/file-lifecycle/views/file-views'
import type { TrashedRow } from '../lookups/find-file.ts'

export function toTrashedFile(row: TrashedRow, shown: Copies): TrashedFile {
  return {
    ...toFile(row, shown),
    deletedAt: row.trashedAt.toISOString(),
    purgeDueAt: row.restorableUntil.toISOString(),
  }
}

export function toDeletedFile(row: FileRow, shown: Copies, networks: Pick<Networks, 'get' | 'order'>): DeletedFile {
  const isPermanent = row.purgingAt !== null
  const networkCopies = toNetworkCopies(shown.copies, networks)
  const expiring = networkCopies.filter(({ outcome }) => outcome === 'expires')
  return {
    ...toFile(row, shown),
    deletedAt: toInstant(row.deletedAt ?? row.purgingAt),
    purgeDueAt: isPermanent ? null : toInstant(row.purgeDueAt),
    networkCopy: expiring.length > 0 ? 'expires' : 'released',
    // All times have the same form and length, so the lexically last one is the latest.
    networkCopyExpiresAt:
      expiring
        .flatMap(({ expiresAt }) => expiresAt ?? [])
        .toSorted()
        .at(-1) ?? null,
    networkCopies,
  }
}
