import type { VaultRow } from '@tideport/file-lifecycle/state/tables'
import { AppError } from '@tideport/service-kit/process/app-error'

/** Throws unless files of one vault can come to the other: what their readers and their encryption rest on stays the same. */
export function assertSameKind(source: VaultRow, target: VaultRow): void {
  if (source.id === target.id) return
  if (source.isExport || target.isExport)
    throw new AppError('state_conflict', 'The vault of an export holds its files alone')
  if (target.visibility === source.visibility) return
  throw new AppError('visibility_mismatch', 'Files can only come to a vault of the same visibility', {
    details: { visibility: source.visibility },
  })
}
