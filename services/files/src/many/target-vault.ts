import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { validate as isUuid } from 'uuid'
import { assertSameKind } from '../vaults/assert-same-kind.ts'
import { findLiveVault } from '../vaults/seen-vault.ts'

/** The vault that files come to: their own unless told. Visibility is what their readers and their encryption rest on. */
export async function targetOf(db: Kysely<FilesDb>, source: VaultRow, asked: string | undefined): Promise<string> {
  if (asked === undefined || asked === source.id) return source.id
  const target = isUuid(asked) ? await findLiveVault(db, source.accountId, asked) : null
  if (target === null) throw notFound()
  assertSameKind(source, target)
  return target.id
}
