import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'

export interface Tiers {
  db: Kysely<FilesDb>
  hotTier: HotTier
  networks: Networks
  log: Log
}

/** Throws when a tier is unavailable, because an outage must not look like a loss. */
export async function assertTiersAnswer({ hotTier, networks }: Tiers, signal: AbortSignal): Promise<void> {
  await hotTier.health('thoroughly')
  for (const network of networks.all()) await network.health(signal)
}
