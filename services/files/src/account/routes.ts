import { readAccount } from '@tideport/contracts/public/account'
import { listFileEvents } from '@tideport/contracts/public/account-events'
import type { AuditActor } from '@tideport/contracts/public/audit-event'
import { daysAsked, readUsage, readVaultUsage } from '@tideport/contracts/public/usage'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { readAccountDays, readNetworkUsage, readVaultDays } from '@tideport/file-lifecycle/state/usage-days'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FilesConfig } from '../config.ts'
import { ROWS_MAX } from '../lists/bounded-scan.ts'
import { type Keyset, type ListedRow, openPage } from '../lists/list-page.ts'
import { getLiveVault } from '../lookups/authorized-vault.ts'
import { type ManifestDeps, readManifestRoute } from './read-manifest.ts'

interface Deps extends ManifestDeps {
  config: Pick<FilesConfig, 'maxPutBytes' | 'maxFileBytes' | 'accountQuotaBytes' | 'openUploadsMax'>
}

export function accountRoutes(deps: Deps) {
  const { db } = deps
  return {
    readAccount: readAccountRoute(deps),
    readUsage: serve(readUsage, async ({ principal, query }) => ({
      days: await readAccountDays(db, principal.accountId, daysAsked(query, today())),
    })),
    readVaultUsage: serve(readVaultUsage, async ({ principal, params, query }) => {
      const vault = await getLiveVault(db, principal.accountId, params.vaultId)
      return { days: await readVaultDays(db, vault.id, daysAsked(query, today())) }
    }),
    listFileEvents: listFileEventsRoute(db),
    readManifest: readManifestRoute(deps),
  } satisfies Partial<RoutesOf<'files'>>
}

const today = () => new Date().toISOString().slice(0, 10)

function readAccountRoute({ db, openAccount, networks: { order }, config }: Deps) {
  const placeOf = (network: string) => (order.includes(network) ? order.indexOf(network) : order.length)
  return serve(readAccount, async ({ principal: { accountId, isOperator } }) => {
    await openAccount(accountId)
    const row = await db.selectFrom('account').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow()
    const networks = (await readNetworkUsage(db, accountId))
      .toSorted((a, b) => placeOf(a.network) - placeOf(b.network))
      .map(({ network, copies, bytes }) => ({ network, copies, billedBytes: bytes }))
    const { storageBytes, hotBytes, fileCount, vaultCount } = row
    return {
      id: row.id,
      createdAt: row.createdAt.toISOString(),
      ...(isOperator && { isOperator }),
      usage: { storageBytes, hotBytes, fileCount, vaultCount, networks },
      limits: {
        maxPutBytes: config.maxPutBytes,
        maxFileBytes: config.maxFileBytes,
        quotaBytes: config.accountQuotaBytes === 0 ? null : config.accountQuotaBytes,
        openUploadsMax: config.openUploadsMax,
      },
    }
  })
}

/** Cost in requests of a page that reads many entries without being filled. */
const CUT_COST = 5

interface LoggedRow {
  id: string
  createdAt: Date
  subjectKind: 'file' | 'vault' | 'account'
  subjectId: string
  type: string
  payload: { data?: object } | object
  requestId: string
  actor: object
  clientAddress: string | null
}

type Filters = Omit<RouteInput<typeof listFileEvents>['query'], 'cursor' | 'limit'>
type Details = Record<string, string | number | boolean | null>

function listFileEventsRoute(db: Kysely<FilesDb>) {
  return serve(listFileEvents, async ({ principal: { accountId }, query, charge }) => {
    const { limit, cursor, ...filters } = query
    const newestFirst = { limit, cursor, sortBy: 'createdAt', order: 'desc' } as const
    const page = await openPage(db, newestFirst, { reader: accountId, list: 'file events', ...filters })
    const { rows } = await walkFileEvents(accountId, filters, page.keyset).execute(db)
    const { rows: found, nextCursor, isCut } = page.close(rows)
    if (isCut) charge(CUT_COST)
    return { events: found.map(toFileEvent), nextCursor }
  })
}

function toFileEvent({ id, createdAt, subjectKind: subject, subjectId, type: kind, ...row }: LoggedRow) {
  const { requestId, clientAddress, actor, payload } = row
  const details = ('data' in payload ? payload.data : payload) as Details
  return {
    ...{ id, kind, subject, subjectId, at: createdAt.toISOString() },
    ...{ actor: actor as AuditActor, clientAddress, requestId, details },
  }
}

/** A page of the changes to an account's files and vaults. Reads a bounded number of entries. */
function walkFileEvents(
  accountId: string,
  { subjectId, kind, keyId, after, before }: Filters,
  { position, isNext, orderBy, limit }: Keyset,
): RawBuilder<ListedRow<LoggedRow>> {
  const among = [sql`account_id = ${accountId} and actor is not null`]
  if (subjectId !== undefined) among.push(isOf(subjectId))
  if (after !== undefined) among.push(sql`at >= ${after}::timestamptz`)
  if (before !== undefined) among.push(sql`at < ${before}::timestamptz`)
  const wanted = [sql`true`]
  if (kind !== undefined) wanted.push(sql`type = ${kind}`)
  if (keyId !== undefined) wanted.push(sql`actor->>'keyId' = ${keyId}`)
  return sql`
    select *, ${position} as position from (
      select *, (${sql.join(wanted, sql` and `)}) as is_wanted,
        row_number() over (order by ${orderBy}) = ${sql.lit(ROWS_MAX)} as is_end
      from (
        select * from (
          select id, at as created_at, subject_kind, subject_id, account_id, type, payload, request_id, actor, client_address
          from event where ${sql.join(among, sql` and `)}
        ) as event
        where ${isNext} order by ${orderBy} limit ${sql.lit(ROWS_MAX)}
      ) as event
    ) as event
    where is_wanted or is_end order by ${orderBy} limit ${limit}`
}

/**
 * Includes events of the file's vault, because trashing, restoring, or purging a vault is recorded only for the vault.
 */
function isOf(subjectId: string): RawBuilder<unknown> {
  return sql`subject_id = any(array[${subjectId}::uuid, (select vault_id from file where id = ${subjectId})])
    and (subject_id = ${subjectId} or type in ('vault.deleted', 'vault.restored', 'vault.purged'))`
}
