import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { AuditActor } from '@tideport/contracts/public/audit-event'
import { readTimeline } from '@tideport/contracts/public/file-actions'
import type { FileStatus } from '@tideport/contracts/public/files'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { type Kysely, sql } from 'kysely'
import { isPlacedWithin, prefixesOf, vaultsOf } from '../calls/enforce-key-limits.ts'
import { readPage } from '../lists/list-page.ts'
import { getOwnFile } from '../lookups/find-file.ts'

type Details = Record<string, string | number | boolean | null>

/** The fields of a webhook payload that belong to this change only. */
type Told = { error?: string; network?: string; reason?: string; replaces?: string; replacedBy?: string }

interface Entry {
  id: string
  createdAt: Date
  type: string
  actor: AuditActor | null
  clientAddress: string | null
  requestId: string | null
  payload: { data?: { status?: FileStatus } & Told } | Details
}

/** `GET /api/files/:fileId/timeline`, oldest first. The first entry is the creation of the file, which has no event. */
export function readTimelineRoute(db: Kysely<FilesDb>) {
  return serve(readTimeline, async ({ principal, params: { fileId }, query }) => {
    await getOwnFile(db, principal.accountId, fileId)
    const { rows, nextCursor } = await readPage<Entry>(
      db,
      { ...query, sortBy: 'createdAt', order: 'asc' },
      { reader: principal.accountId, list: 'timeline', fileId },
      ({ position, isNext, orderBy, limit }) => sql`
        select *, ${position} as position from (
          select id, created_at, 'upload.requested' as type, '{"data": {"status": "uploading"}}'::jsonb as payload,
            null::jsonb as actor, null as client_address, null as request_id
          from file where id = ${fileId}
          union all
          (select * from (
            select id, at as created_at, type, payload, actor, client_address, request_id
            from event where subject_id = ${fileId} and account_id = ${principal.accountId}) as event
           where ${isNext} order by ${orderBy} limit ${limit})
        ) as entry
        where ${isNext} order by ${orderBy} limit ${limit}`,
    )
    return { timeline: rows.map((row) => toEntry(row, principal)), nextCursor }
  })
}

/** Events with which a file takes a path and may replace another file. */
const takesPlace = ['file.hot', 'file.restored']

/**
 * Webhook events carry their payload; other events carry their own details. Events of a copy do not change the status.
 */
function toEntry({ id, type, createdAt, payload, actor, ...row }: Entry, seer: AccountPrincipal) {
  const { clientAddress, requestId } = row
  const { data } = payload
  const isChange = typeof data === 'object' && data !== null
  const { error, network, reason, replaces, replacedBy } = (isChange ? data : {}) as Told
  const told = {
    ...(error && { error }),
    ...(network && { network }),
    ...(reason && { reason }),
    ...(takesPlace.includes(type) && replaces && { replaces }),
    ...(type === 'file.deleted' && replacedBy && { replacedBy }),
  }
  return {
    id,
    type,
    at: createdAt.toISOString(),
    status: isChange && network === undefined ? (data.status ?? null) : null,
    details: isChange ? told : within(payload as Details, seer),
    ...(mayKnow(seer, actor) ? { actor, clientAddress, requestId } : unknown),
  }
}

const unknown = { actor: null, clientAddress: null, requestId: null }

/** A caller with limits sees actors only of its own changes, because it cannot read the account's log either. */
function mayKnow(seer: AccountPrincipal, actor: AuditActor | null): boolean {
  const isConfined = vaultsOf(seer) !== null || prefixesOf(seer) !== null
  return !isConfined || (actor?.keyId != null && actor.keyId === seer.keyId)
}

/** Removes vaults and paths outside the caller's limits, because the file may have moved from there. */
function within(details: Details, seer: AccountPrincipal): Details {
  const [vaultIds, prefixes] = [vaultsOf(seer), prefixesOf(seer)]
  const [after, before] = [details.path ?? details.name, details.pathBefore ?? details.nameBefore]
  const isPlaced = before === undefined || [after, before].every((path) => isPlacedWithin(prefixes, String(path)))
  const isSeen = ([name, value]: [string, unknown]) => {
    if (name.startsWith('vaultId')) return vaultIds === null || vaultIds.includes(String(value))
    return isPlaced || !(name.startsWith('name') || name.startsWith('path'))
  }
  return Object.fromEntries(Object.entries(details).filter(isSeen))
}
