import type { FilesDb, LinkRow, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { validate as isUuid } from 'uuid'

declare const proof: unique symbol

/**
 * A vault that the caller may see. Queries on its content take it instead of an ID, so they cannot read another
 * account's vault. Only the functions below create one.
 */
export interface SeenVault {
  /** Null if the vault is missing or not the caller's. Queries then find nothing. */
  readonly id: string | RawBuilder<string | null>
  readonly [proof]: true
}

export type OwnVault = VaultRow & SeenVault

export interface Sight {
  accountId: string
  /** Null: all. */
  vaultIds: readonly string[] | null
  /** Null: all. */
  prefixes: readonly string[] | null
}

/** Condition on `file`, `kept_folder`, and `link`. */
export const isIn = (vault: SeenVault): RawBuilder<boolean> => sql`vault_id = ${vault.id}`

const nothing = sql<null>`null::uuid`

type Vaults = Pick<Sight, 'accountId' | 'vaultIds'>

/** Condition on `vault`. */
const isSeenBy = ({ accountId, vaultIds }: Vaults): RawBuilder<boolean> =>
  vaultIds === null
    ? sql`vault.account_id = ${accountId}`
    : sql`vault.account_id = ${accountId} and vault.id = any(${vaultIds}::uuid[])`

/** A vault that the query itself looks up before it reads the content. */
export function vaultOf(sight: Vaults, vaultId: string, which: RawBuilder<unknown> = sql`true`): SeenVault {
  if (!isUuid(vaultId)) return seen({ id: nothing })
  return seen({
    id: sql<
      string | null
    >`(select vault.id from vault where vault.id = ${vaultId} and ${isSeenBy(sight)} and ${which})`,
  })
}

/** The same for a vault outside the trash. */
export const liveVaultOf = (sight: Vaults, vaultId: string): SeenVault =>
  vaultOf(sight, vaultId, sql`vault.deleted_at is null`)

/** Condition on `file`. */
export const isInVaultOf = (sight: Vaults): RawBuilder<boolean> =>
  sql`vault_id = any(array(select vault.id from vault where ${isSeenBy(sight)}))`

/** Null: more than `max`. */
export async function seenVaults(
  db: Kysely<FilesDb>,
  { sight, which, max }: { sight: Vaults; which: RawBuilder<unknown>; max: number },
): Promise<(SeenVault & { id: string })[] | null> {
  const { rows } = await sql<{ id: string }>`
    select id from vault where ${isSeenBy(sight)} and ${which} limit ${max + 1}`.execute(db)
  return rows.length > max ? null : rows.map(seen)
}

/** Includes trashed vaults, but not vaults that are being purged. */
export function findKeptVault(db: Kysely<FilesDb>, accountId: string, vaultId: string): Promise<OwnVault | null> {
  return find(db, sql`id = ${vaultId} and account_id = ${accountId} and purging_at is null`)
}

export function findLiveVault(db: Kysely<FilesDb>, accountId: string, vaultId: string): Promise<OwnVault | null> {
  return find(db, sql`id = ${vaultId} and account_id = ${accountId} and deleted_at is null`)
}

/** Throws 404. */
export async function getLiveVault(db: Kysely<FilesDb>, accountId: string, vaultId: string): Promise<OwnVault> {
  const vault = await findLiveVault(db, accountId, vaultId)
  if (vault === null) throw notFound()
  return vault
}

/** Locks the vault until the transaction ends. */
export function lockLiveVault(trx: Kysely<FilesDb>, accountId: string, vaultId: string): Promise<OwnVault | null> {
  return find(trx, sql`id = ${vaultId} and account_id = ${accountId} and deleted_at is null for no key update`)
}

/** The vault that an account knows by its slug. */
export async function findLiveSlug(db: Kysely<FilesDb>, sight: Vaults, slug: string): Promise<OwnVault | null> {
  // Text in Postgres cannot contain a null character.
  if (slug.includes('\0')) return null
  return await find(db, sql`${isSeenBy(sight)} and slug = ${slug} and deleted_at is null`)
}

export function findPublicVault(db: Kysely<FilesDb>, userId: string, slug: string): Promise<OwnVault | null> {
  return find(db, sql`account_id = ${userId} and slug = ${slug} and visibility = 'public' and deleted_at is null`)
}

export const vaultOfLink = ({ vaultId }: Pick<LinkRow, 'vaultId' | 'digest'>): SeenVault =>
  seen({ id: vaultId ?? nothing })

async function find(db: Kysely<FilesDb>, which: RawBuilder<unknown>): Promise<OwnVault | null> {
  const { rows } = await sql<VaultRow>`select * from vault where ${which}`.execute(db)
  return rows[0] === undefined ? null : seen(rows[0])
}

const seen = <Vault extends { id: unknown }>(vault: Vault) => vault as Vault & SeenVault

/** The vault that files move or are copied to; by default the source. Throws 404, and as `assertSameKind`. */
export async function targetOf(db: Kysely<FilesDb>, source: VaultRow, asked: string | undefined): Promise<string> {
  if (asked === undefined || asked === source.id) return source.id
  const target = isUuid(asked) ? await findLiveVault(db, source.accountId, asked) : null
  if (target === null) throw notFound()
  assertSameKind(source, target)
  return target.id
}

/** Throws unless both vaults have the same readers and encryption. */
function assertSameKind(source: VaultRow, target: VaultRow): void {
  if (source.id === target.id) return
  if (source.isExport || target.isExport)
    throw new AppError('state_conflict', 'The vault of an export accepts no other files')
  if (target.visibility === source.visibility) return
  throw new AppError('visibility_mismatch', 'Files can be moved or copied only to a vault with the same visibility', {
    details: { visibility: source.visibility },
  })
}
