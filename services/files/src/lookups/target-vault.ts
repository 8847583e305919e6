import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { validate as isUuid } from 'uuid'
import { findLiveVault } from './seen-vault.ts'

/** The vault that files come to: their own unless told. Visibility is what their readers and their encryption rest on. */
export async function targetOf(db: Kysely<FilesDb>, source: VaultRow, asked: string | undefined): Promise<string> {
  if (asked === undefined || asked === source.id) return source.id
  const target = isUuid(asked) ? await findLiveVault(db, source.accountId, asked) : null
  if (target === null) throw notFound()
  assertSameKind(source, target)
  return target.id
}

/** Throws unless files of one vault can come to the other: what their readers and their encryption rest on stays the same. */
function assertSameKind(source: VaultRow, target: VaultRow): void {
  if (source.id === target.id) return
  if (source.isExport || target.isExport)
    throw new AppError('state_conflict', 'The vault of an export holds its files alone')
  if (target.visibility === source.visibility) return
  throw new AppError('visibility_mismatch', 'Files can only come to a vault of the same visibility', {
    details: { visibility: source.visibility },
  })
}
