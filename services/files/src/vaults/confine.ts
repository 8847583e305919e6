import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { AccountPrincipal, Principal } from '@tideport/contracts/internal/principal'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import type { Route } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { type FileSeen, findOwnFile } from '../files/find-live-file.ts'
import { assertWithinPrefixes, isPlacedWithin, type NamedPaths, prefixesOf } from './confine-paths.ts'

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
  if (file === null || vaultsOf(principal)?.includes(file.vaultId) === false) return null
  return isPlacedWithin(prefixesOf(principal), file.path) ? file : null
}

interface Named {
  principal: Principal
  params?: { fileId?: string; vaultId?: string; linkId?: string; path?: string } | undefined
  query?: { onConflict?: string | undefined; prefix?: string | undefined } | undefined
  body?: (NonNullable<NamedPaths['body']> & { vaultId?: string; toVaultId?: string; onConflict?: string }) | undefined
}

/**
 * For keys that are limited to vaults: a file, vault or link that a request names in its path, or vaults in its body, is as
 * missing as one that is not there unless it is within them. Lists look at `vaultsOf` themselves. For those that are limited
 * to verbs: what replaces a file throws it away, too. For those that are limited to prefixes: `assertWithinPrefixes`.
 */
export function confine<E extends Endpoint>(db: Kysely<FilesDb>, route: Route<E>): Route<E> {
  return {
    ...route,
    async handle(input) {
      const { principal, params, query, body } = input as Named
      if ([query?.onConflict, body?.onConflict].includes('replace')) assertMayDelete(principal)
      if (principal.kind !== 'account') return await route.handle(input)
      const [vaultIds, prefixes] = [vaultsOf(principal), prefixesOf(principal)]
      const isLimited = vaultIds !== null || prefixes !== null
      const file = isLimited && params?.fileId !== undefined ? await placeOf(db, principal, params.fileId) : null
      if (vaultIds !== null) {
        const named = [params?.vaultId, body?.vaultId, body?.toVaultId, file?.vaultId].filter((id) => id !== undefined)
        if (params?.linkId !== undefined) named.push(...(await homeOfLink(db, principal, params.linkId)))
        if (named.some((id) => !vaultIds.includes(id))) throw notFound()
      }
      if (prefixes !== null) assertWithinPrefixes(route.endpoint, prefixes, { params, query, body, file })
      return await route.handle(input)
    },
  }
}

function assertMayDelete(principal: Principal): void {
  if (principal.kind !== 'account' || principal.limits?.verbs?.includes('delete') !== false) return
  const details = { limit: 'verbs', requiredVerb: 'delete' }
  throw outsideLimits('The API key is limited to verbs without the one that replacing a file needs', details)
}

/** Null: it is not there, which its route tells. */
async function placeOf(
  db: Kysely<FilesDb>,
  { accountId }: AccountPrincipal,
  fileId: string,
): Promise<Pick<FileRow, 'vaultId' | 'folder' | 'path'> | null> {
  const row = await db
    .selectFrom('file')
    .select(['vaultId', 'folder', 'path'])
    .where('id', '=', fileId)
    .where('accountId', '=', accountId)
    .executeTakeFirst()
  return row ?? null
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
