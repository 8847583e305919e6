import { type Kysely, sql } from 'kysely'
import { appendEvents } from '../state/append-event.ts'
import { type ClaimedCopy, tellCopy } from '../state/copy-transitions.ts'
import { blobIdOf, leaseMargin, type NetworkNames } from '../state/file-copies.ts'
import type { FilesDb } from '../state/tables.ts'

/** Half of the time for the renewal is over, so a network that is down for a day is not reported. */
const isExpiring = sql`held.lease_expires_at - now() <
  ${leaseMargin(sql`held.lease_expires_at - held.leased_at`)} / 2`

/**
 * Schedules a failed renewal again and ends the claim. Near the end of the lease it sends `file.lease_expiring` once
 * per lease. Does nothing when another worker has the claim.
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
