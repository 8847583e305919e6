import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { AccountPrincipal, Principal } from '@tideport/contracts/internal/principal'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import type { Route } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { type FileSeen, findOwnFile } from '../files/find-live-file.ts'

/** The vaults that a principal sees; null: all of its account. */
export function vaultsOf({ limits }: AccountPrincipal): readonly string[] | null {
  return limits?.vaultIds ?? null
}

/** The file that the same request made before, unless it went since to where the principal sees nothing. */
export async function findMadeBefore(
  db: Kysely<FilesDb>,
  principal: AccountPrincipal,
  fileId: string,
): Promise<FileSeen | null> {
  const file = await findOwnFile(db, principal.accountId, fileId)
  return file !== null && vaultsOf(principal)?.includes(file.vaultId) === false ? null : file
}

interface Named {
  principal: Principal
  params?: { fileId?: string; vaultId?: string; linkId?: string } | undefined
  query?: { onConflict?: string | undefined } | undefined
  body?: { vaultId?: string | undefined; toVaultId?: string | undefined; onConflict?: string | undefined } | undefined
}

/**
 * For keys that are limited to vaults: a file, vault or link that a request names in its path, or vaults in its body, is as
 * missing as one that is not there unless it is within them. Lists look at `vaultsOf` themselves. For those that are limited
 * to verbs: what replaces a file throws it away, too.
 */
export function confine<E extends Endpoint>(db: Kysely<FilesDb>, route: Route<E>): Route<E> {
  return {
    ...route,
    async handle(input) {
      const { principal, params, query, body } = input as Named
      if ([query?.onConflict, body?.onConflict].includes('replace')) assertMayDelete(principal)
      const vaultIds = principal.kind === 'account' ? vaultsOf(principal) : null
      if (principal.kind === 'account' && vaultIds !== null) {
        const named = [params?.vaultId, body?.vaultId, body?.toVaultId].filter((id) => id !== undefined)
        if (params?.fileId !== undefined) named.push(...(await homeOf(db, principal, params.fileId)))
        if (params?.linkId !== undefined) named.push(...(await homeOfLink(db, principal, params.linkId)))
        if (named.some((id) => !vaultIds.includes(id))) throw notFound()
      }
      return await route.handle(input)
    },
  }
}

function assertMayDelete(principal: Principal): void {
  if (principal.kind !== 'account' || principal.limits?.verbs?.includes('delete') !== false) return
  const details = { limit: 'verbs', requiredVerb: 'delete' }
  throw outsideLimits('The API key is limited to verbs without the one that replacing a file needs', details)
}

/** None: it is not there, which its route tells. */
async function homeOf(db: Kysely<FilesDb>, { accountId }: AccountPrincipal, fileId: string): Promise<string[]> {
  const row = await db
    .selectFrom('file')
    .select('vaultId')
    .where('id', '=', fileId)
    .where('accountId', '=', accountId)
    .executeTakeFirst()
  return row ? [row.vaultId] : []
}

/** The vault that a link leads into, now. */
async function homeOfLink(db: Kysely<FilesDb>, { accountId }: AccountPrincipal, linkId: string): Promise<string[]> {
  const row = await db
    .selectFrom('link')
    .leftJoin('file', 'file.id', 'link.fileId')
    .select(({ fn }) => fn.coalesce('file.vaultId', 'link.vaultId').as('vaultId'))
    .where('link.id', '=', linkId)
    .where('link.accountId', '=', accountId)
    .executeTakeFirst()
  return row?.vaultId ? [row.vaultId] : []
}
