import { NetworkError } from '@tideport/storage-network/errors'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { type Kysely, sql } from 'kysely'
import { appendEvents } from '../state/append-event.ts'
import { type ClaimedCopy, nameOf, tellCopy } from '../state/copy-transitions.ts'
import { begunLease, blobIdOf, claimedAtMs, isNamed, leaseMargin, type NetworkNames } from '../state/file-copies.ts'
import type { CopyRow, FilesDb } from '../state/tables.ts'
import { claimOn, copyRows } from '../work/claim.ts'
import { withFile } from '../work/claim-step.ts'
import { type DueRowsDeps, processDueRows } from '../work/process-due-rows.ts'
import { lose, type ProveDeps } from './prove-copy.ts'

export interface RenewDeps extends DueRowsDeps, ProveDeps {}

const AGAIN_SECONDS = 3600

/**
 * Periodic task: renews copies before the network forgets them, also those in the trash
 * (docs/explain/copies-and-proof.md).
 */
export async function renewLeases(deps: RenewDeps, network: StorageNetwork, signal: AbortSignal): Promise<boolean> {
  const isHeld = sql`network = ${network.name} and state in ('stored', 'proved')`
  return await processDueRows(deps, signal, {
    rows: copyRows,
    name: 'renew leases',
    due: { where: sql`${isHeld} and renew_due_at <= now()`, by: sql`renew_due_at` },
    putOff: (until) => sql`claimed_until = null, renew_due_at = ${until}`,
    visit: (copy) => visit(deps, network, copy, signal),
  })
}

async function visit(deps: RenewDeps, network: StorageNetwork, copy: CopyRow, stopping: AbortSignal): Promise<void> {
  const { db, log } = deps
  const claimed = await withFile(db, copy)
  if (claimed === null || !isNamed(copy)) return
  const { fileId, leaseExpiresAt } = copy
  const claim = claimOn(db, copy)
  await claim.run(stopping, async (signal) => {
    try {
      const { expiresAt, ref = copy.ref } = await network.renew(nameOf(copy), signal)
      const renewed = begunLease(sql`${expiresAt}::timestamptz`)
      await claim.end(sql`${renewed}, ref = ${JSON.stringify(ref)}::jsonb`)
      log.info({ fileId, network: network.name, leaseExpiresAt: expiresAt }, 'lease renewed')
    } catch (error) {
      if (signal.aborted) throw error
      log.error({ err: error, fileId, network: network.name, leaseExpiresAt }, 'lease not renewed')
      await afterFailure(deps, claimed, error)
    }
  })
}

/** A copy is lost only if its lease has expired and the network denies it. */
async function afterFailure(deps: RenewDeps, claimed: ClaimedCopy, error: unknown): Promise<unknown> {
  const { copy } = claimed
  const hasRunOut = copy.leaseExpiresAt !== null && copy.leaseExpiresAt.getTime() <= claimedAtMs(copy)
  const isGone = error instanceof NetworkError && error.code === 'not_found'
  if (isGone && hasRunOut) return await lose(deps, claimed, 'lease_ended')
  return await putOffRenewal(deps.db, claimed, deps.networks, { delaySeconds: AGAIN_SECONDS })
}

/** Half of the time for the renewal has passed, so an outage of a day is not reported. */
const isExpiring = sql`held.lease_expires_at - now() <
  ${leaseMargin(sql`held.lease_expires_at - held.leased_at`)} / 2`

/**
 * Schedules a failed renewal again and ends the claim. Near the lease's expiry it sends `file.lease_expiring` once per
 * lease. Does nothing when another worker has the claim.
 */
async function putOffRenewal(
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
