import type { Visibility } from '@tideport/contracts/public/vaults'
import { appendEvents, vaultPayload } from '@tideport/file-lifecycle/state/append-event'
import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { type RawBuilder, sql, type Transaction } from 'kysely'

interface NewVault {
  id: string
  accountId: string
  name: string
  visibility: Visibility
  description: string
  filesExpireAfterSeconds: number | null
  isExport?: boolean
}

/** The account's row is locked first, so that the taken slugs do not change. */
export async function insertVault(trx: Transaction<FilesDb>, vault: NewVault): Promise<VaultRow> {
  const { accountId } = vault
  await trx
    .updateTable('account')
    .set((eb) => ({ vaultCount: eb('vaultCount', '+', 1) }))
    .where('id', '=', accountId)
    .execute()
  const taken = await trx.selectFrom('vault').select('slug').where('accountId', '=', accountId).execute()
  const slug = vaultSlug(vault.name, new Set(taken.map((row) => row.slug)))
  const { id, name, visibility, description, filesExpireAfterSeconds, isExport = false } = vault
  const { rows } = await sql<VaultRow>`
    with made as (
      insert into vault (id, account_id, name, visibility, slug, description, files_expire_after_seconds, is_export)
      values (${id}, ${accountId}, ${name}, ${visibility}, ${slug}, ${description}, ${filesExpireAfterSeconds}, ${isExport})
      returning *
    ), told as (${vaultCreated(sql`made`)})
    select * from made`.execute(trx)
  const [made] = rows
  if (made === undefined) throw new Error('The vault was not created')
  return made
}

export function vaultCreated(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return appendEvents({ kind: 'vault', type: 'vault.created', payload: vaultPayload('vault.created'), from })
}

const MAX_LENGTH = 64

/**
 * NFKD without marks, lower case, `-` for other characters, at most 64 (docs/reference/http/files.md). Taken slugs get the
 * next free suffix: `-2`, `-3`….
 */
export function vaultSlug(name: string, taken: ReadonlySet<string> = new Set()): string {
  const base = slugify(name) || 'vault'
  let slug = base
  for (let number = 2; taken.has(slug); number += 1) {
    const suffix = `-${number}`
    slug = trimDashes(base.slice(0, MAX_LENGTH - suffix.length)) + suffix
  }
  return slug
}

function slugify(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  return trimDashes(trimDashes(plain.replace(/[^a-z0-9]+/g, '-')).slice(0, MAX_LENGTH))
}

function trimDashes(text: string): string {
  return text.replace(/^-+|-+$/g, '')
}
