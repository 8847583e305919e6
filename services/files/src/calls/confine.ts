import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { type Effect, effectsIn, effectsOf, verbOf } from '@tideport/contracts/internal/effects'
import type { AccountPrincipal, Principal } from '@tideport/contracts/internal/principal'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import type { Route } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { type FileSeen, findOwnFile } from '../lookups/find-live-file.ts'
import type { Sight } from '../lookups/seen-vault.ts'
import { assertWithinPrefixes, isPlacedWithin, type NamedPaths, prefixesOf } from './confine-paths.ts'
import { withholdAnswer, withholdDetails } from './withhold.ts'

/** The vaults that a principal sees; null: all of its account. */
export function vaultsOf({ limits }: AccountPrincipal): readonly string[] | null {
  return limits?.vaultIds ?? null
}

export function sightOf(principal: AccountPrincipal): Sight {
  return { accountId: principal.accountId, vaultIds: vaultsOf(principal), prefixes: prefixesOf(principal) }
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
  query?: { prefix?: string | undefined } | undefined
  body?: (NonNullable<NamedPaths['body']> & { vaultId?: string; toVaultId?: string }) | undefined
}

/**
 * For keys that are limited to vaults: a file, vault or link that a request names in its path, or vaults in its body, is as
 * missing as one that is not there unless it is within them. Lists take `sightOf`. For those that are limited
 * to verbs: a request needs the verb of each of its effects. For those that are limited to prefixes: `assertWithinPrefixes`.
 * Every response of an endpoint that writes is cut down to what its caller may read.
 */
export function confine<E extends Endpoint>(db: Kysely<FilesDb>, route: Route<E>): Route<E> {
  const { endpoint } = route
  const effects = effectsOf(endpoint)
  const handle: Route['handle'] = async (input) => {
    const { principal } = input
    if (effects === undefined || principal.kind !== 'account') return await route.handle(input)
    try {
      return withholdAnswer(endpoint, effects, principal, await route.handle(input))
    } catch (error) {
      throw withholdDetails(endpoint, principal, error)
    }
  }
  return {
    ...route,
    async handle(input) {
      const { principal, params, query, body } = input as Named
      if (principal.kind !== 'account') return await handle(input)
      for (const effect of effects ? effectsIn(effects, { ...(query && { query }), ...(body && { body }) }) : [])
        assertMay(principal, effect)
      const [vaultIds, prefixes] = [vaultsOf(principal), prefixesOf(principal)]
      const isLimited = vaultIds !== null || prefixes !== null
      const file = isLimited && params?.fileId !== undefined ? await placeOf(db, principal, params.fileId) : undefined
      if (vaultIds !== null) {
        if (file === null) throw notFound()
        const named = [params?.vaultId, body?.vaultId, body?.toVaultId, file?.vaultId].filter((id) => id !== undefined)
        if (params?.linkId !== undefined) named.push(...(await homeOfLink(db, principal, params.linkId)))
        if (named.some((id) => !vaultIds.includes(id))) throw notFound()
      }
      if (prefixes !== null) assertWithinPrefixes(endpoint, prefixes, { params, query, body, file })
      return await handle(input)
    },
  }
}

/** Whether a caller has the verb that an effect needs. */
export function may({ limits }: Pick<AccountPrincipal, 'limits'>, effect: Effect): boolean {
  return limits?.verbs?.includes(verbOf[effect]) !== false
}

/** Throws 403 unless a caller has the verb that an effect needs, also one that shows only as the request is handled. */
export function assertMay(principal: Pick<AccountPrincipal, 'limits'>, effect: Effect): void {
  if (may(principal, effect)) return
  const requiredVerb = verbOf[effect]
  throw outsideLimits('The API key lacks a verb that this request needs', {
    limit: 'verbs',
    requiredVerb,
  })
}

/** Null where the file does not exist. A response for it takes no longer than one for a file that the caller may not see. */
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

/** The vault that a link leads into, now. Throws 404 where the link does not exist. */
async function homeOfLink(db: Kysely<FilesDb>, { accountId }: AccountPrincipal, linkId: string): Promise<string[]> {
  const row = await db
    .selectFrom('link')
    .leftJoin('file', 'file.id', 'link.fileId')
    .select(({ fn }) => fn.coalesce('file.vaultId', 'link.vaultId').as('vaultId'))
    .where('link.id', '=', linkId)
    .where('link.accountId', '=', accountId)
    .executeTakeFirst()
  if (row === undefined) throw notFound()
  return row.vaultId ? [row.vaultId] : []
}
