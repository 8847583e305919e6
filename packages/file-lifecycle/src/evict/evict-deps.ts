import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import type { Networks } from '../copies/networks.ts'
import type { FilesDb } from '../state/tables.ts'
import type { Writes } from '../state/writes.ts'
import type { EvictionRate } from './eviction-rate.ts'

export interface EvictDeps {
  db: Kysely<FilesDb>
  writes: Writes
  hotTier: HotTier
  networks: Networks
  rate: EvictionRate
  log: Log
  downloadUrlSeconds: number
  clockSkewSeconds: number
  evictionRetryBaseSeconds: number
  evictionDryRun: boolean
  settleSeconds: number
}

/** `waiting`: the copies are not what eviction needs, or not yet again. */
export type EvictOutcome = 'evicting' | 'evicted' | 'waiting' | 'rate_capped' | 'dry_run' | 'superseded'
