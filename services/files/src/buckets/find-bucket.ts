import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { vaultsOf } from '../calls/enforce-key-limits.ts'
import { findLiveSlug, type OwnVault } from '../lookups/authorized-vault.ts'

type Missing = 'bucket' | 'key' | 'upload' | 'source_bucket' | 'source_key'

/** Tells the door which error of S3 it is. */
export const missing = (what: Missing) => new AppError('not_found', 'Not found', { details: { missing: what } })

/** Throws 404 for vaults that the caller may not see, as for missing ones. */
export async function getBucket(
  db: Kysely<FilesDb>,
  principal: AccountPrincipal,
  slug: string,
  what: Missing = 'bucket',
): Promise<OwnVault> {
  const vault = await findLiveSlug(db, { accountId: principal.accountId, vaultIds: vaultsOf(principal) }, slug)
  if (vault === null) throw missing(what)
  return vault
}
