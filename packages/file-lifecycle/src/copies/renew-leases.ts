import { NetworkError } from '@tideport/storage-network/errors'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { sql } from 'kysely'
import type { HotTier } from '../hot-tier/hot-tier.ts'
import { recordRenewal, recordRenewalFailure } from '../state/lease.ts'
import { CLAIM_SECONDS } from '../state/state.ts'
import type { FileRow } from '../state/tables.ts'
import { markFailed } from '../state/transitions.ts'
import { handBack } from '../work/attempts.ts'
import { underClaim } from '../work/claim.ts'
import { type DrainDeps, drain } from '../work/drain.ts'
import { writeClaimed } from '../work/write-claimed.ts'

export interface RenewLeasesDeps extends DrainDeps {
  hotTier: HotTier
  network: StorageNetwork
}

const AGAIN_SECONDS = 3600
/** In the trash, too: what is restored must still be there. Only a purge lets go of the copy. */
const isDue = sql`status in ('synced', 'cold') and renew_due_at <= now() and purging_at is null`

/** One run of the clock that renews copies before the network forgets them (docs/file-lifecycle.md §8). */
export async function renewLeases(deps: RenewLeasesDeps, signal: AbortSignal): Promise<boolean> {
  return await drain(deps, signal, {
    name: 'renew leases',
    due: { where: isDue, by: sql`renew_due_at` },
    putOff: (until) => sql`claimed_until = null, renew_due_at = ${until}`,
    visit: (file) => renewLease(deps, file, signal),
  })
}

async function renewLease(deps: RenewLeasesDeps, file: FileRow, stopping: AbortSignal): Promise<void> {
  const { db, network, log } = deps
  const fileId = file.id
  await underClaim(db, file, stopping, async (signal) => {
    try {
      const { expiresAt } = await network.renew(file.blobId ?? '', file.id, signal)
      const lease = { leaseExpiresAt: expiresAt }
      await writeClaimed(db, file, (current) => recordRenewal(db, current, lease))
      log.info({ fileId, leaseExpiresAt: expiresAt }, 'lease renewed')
    } catch (error) {
      if (signal.aborted) throw error
      log.error({ err: error, fileId, leaseExpiresAt: file.leaseExpiresAt }, 'lease not renewed')
      await settleFailure(deps, file, error, signal)
    }
  })
}

/** Given up only once the lease has run out and the network itself says that the copy is gone. */
async function settleFailure(
  { db, hotTier }: RenewLeasesDeps,
  file: FileRow,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (!(error instanceof NetworkError) || error.code === 'unreachable') {
    return await handBack(db, file, 'renewal', AGAIN_SECONDS)
  }
  if (error.code === 'not_found' && hasRunOut(file)) {
    const hotCopyGone = file.hotKey === null || (await hotTier.head(file.hotKey, signal)) === null
    const lost = await writeClaimed(db, file, (current) => markFailed(db, current, 'lease_lost', { hotCopyGone }))
    if (lost) return // nothing in the trash becomes an error: that waits for its restore
  }
  const failure = { reason: `network_${error.code}`, delaySeconds: AGAIN_SECONDS }
  await writeClaimed(db, file, (current) => recordRenewalFailure(db, current, failure))
}

/** The claim that was just taken tells the time of the database. */
function hasRunOut({ claimedUntil, leaseExpiresAt }: FileRow): boolean {
  if (claimedUntil === null || leaseExpiresAt === null) return false
  return leaseExpiresAt.getTime() <= claimedUntil.getTime() - CLAIM_SECONDS * 1000
}
