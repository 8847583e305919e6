import { type Kysely, sql } from 'kysely'
import { appendEvents } from '../state/append-event.ts'
import { type ClaimedCopy, tellCopy } from '../state/copy-transitions.ts'
import { blobIdOf, leaseMargin, type NetworkNames } from '../state/file-copies.ts'
import type { FilesDb } from '../state/tables.ts'

/**
 * Half of the time in which it should have been renewed is over: nobody is told of a network that is away for a day.
 */
const isExpiring = sql`held.lease_expires_at - now() <
  ${leaseMargin(sql`held.lease_expires_at - held.leased_at`)} / 2`

/**
 * A lease could not be renewed: it is asked for again after `delaySeconds`, and the claim ends. In the last part of the
 * lease `file.lease_expiring` tells of it, once: the timeline knows whether it did since the lease began. Nothing
 * happens when the claim is somebody else's.
 */
export async function putOffRenewal(
  db: Kysely<FilesDb>,
  { copies, copy }: ClaimedCopy,
  { order }: NetworkNames,
  { delaySeconds }: { delaySeconds: number },
): Promise<void> {
  const { fileId, network, leaseExpiresAt } = copy
  const facts = { leaseExpiresAt: leaseExpiresAt?.toISOString() ?? '' }
  const { type, payload } = tellCopy('file.lease_expiring', copy, sql`${blobIdOf(copies, order)}::text`, facts)
  await sql`
    with held as (
      update copy set renew_due_at = now() + make_interval(secs => ${delaySeconds}),
        claimed_until = null, unfinished_claims = 0
      where file_id = ${fileId} and network = ${network} and state = ${copy.state} and fencing_token = ${copy.fencingToken}
      returning *
    ), expiring as (
      select file.* from held join file on file.id = held.file_id
      where ${isExpiring} and not exists (
        select from event where subject_id = file.id and at >= held.leased_at and type = ${type}
          and payload -> 'data' ->> 'network' = held.network)
    )
    ${appendEvents({ kind: 'file', type, payload, from: sql`expiring` })}`.execute(db)
}
