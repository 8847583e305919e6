import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { validate as isUuid } from 'uuid'
import { findLiveVault } from '../vaults/find-live-vault.ts'

/** The vault that files come to: their own unless told. Visibility is what their readers and their encryption rest on. */
export async function targetOf(db: Kysely<FilesDb>, source: VaultRow, asked: string | undefined): Promise<string> {
  if (asked === undefined || asked === source.id) return source.id
  const target = isUuid(asked) ? await findLiveVault(db, source.accountId, asked) : null
  if (target === null) throw notFound()
  if (target.visibility === source.visibility) return target.id
  throw new AppError('visibility_mismatch', 'Files can only come to a vault of the same visibility', {
    details: { visibility: source.visibility },
  })
}
