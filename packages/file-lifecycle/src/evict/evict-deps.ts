import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import type { HotTier } from '../hot-tier/hot-tier.ts'
import type { FilesDb } from '../state/tables.ts'
import type { EvictionRate } from './eviction-rate.ts'

export interface EvictDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  network: StorageNetwork
  rate: EvictionRate
  log: Log
  downloadUrlSeconds: number
  clockSkewSeconds: number
  evictionRetryBaseSeconds: number
  evictionDryRun: boolean
}

export type EvictOutcome = 'evicting' | 'evicted' | 'refused' | 'gave_up' | 'rate_capped' | 'dry_run' | 'superseded'
