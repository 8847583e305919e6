import { readFile } from 'node:fs/promises'
import type { JobDeps } from '@tideport/bulk-jobs/jobs/advance-job'
import { createAddressGuard, loopbackNetworks } from '@tideport/service-kit/outgoing/address-guard'
import { createGuardedConnector } from '@tideport/service-kit/outgoing/guarded-connector'
import { parseHosts } from '@tideport/service-kit/outgoing/hosts-file'
import { createNames } from '@tideport/service-kit/outgoing/names'
import type { UrlRules } from '@tideport/service-kit/outgoing/url-fault'
import { createSecretBox, type SecretBox } from '@tideport/service-kit/secrets/secret-box'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Bucket, BucketSettings } from '@tideport/storage-network/s3/bucket'
import { openBucket } from '@tideport/storage-network/s3/bucket'

export interface ExportBucketsConfig {
  serviceEnv: string
  exportSecretKeys?: readonly Buffer[] | undefined
  exportAllowCidrs: readonly string[]
}

/** What accounts may name as buckets, and what seals their credentials. */
export interface BucketRules {
  box: SecretBox
  urlRules: UrlRules
}

/** How an installation writes into buckets of its accounts. */
export interface ExportBuckets {
  box: SecretBox
  /** So long the calls of a batch may take together, where a bucket is not known to be slow and where it is. */
  patienceMs: Record<'quick' | 'slow', number>
  /** By no connection but to addresses that may be called. Nothing is contacted yet. */
  open(settings: BucketSettings): Bucket
}

export interface ExportDeps extends JobDeps {
  /** Null: the installation writes into no buckets of accounts. */
  exportBuckets: ExportBuckets | null
}

const HOSTS_FILE = '/etc/hosts'
const CONNECT_MS = 5000
const PATIENCE_MS = { quick: 30_000, slow: 120_000 }

/** Null: without a key to seal credentials with, there are exports to vaults alone. */
export function bucketRules(config: ExportBucketsConfig): BucketRules | null {
  const { exportSecretKeys } = config
  if (exportSecretKeys === undefined) return null
  const urlRules = {
    isDevelopment: config.serviceEnv === 'development',
    allows: createAddressGuard(allowedNetworks(config)),
  }
  return { box: createSecretBox(exportSecretKeys), urlRules }
}

/** The same for whoever does it. */
export async function exportBuckets(config: ExportBucketsConfig, log: Log): Promise<ExportBuckets | null> {
  const rules = bucketRules(config)
  if (rules === null) return null
  const networks = allowedNetworks(config)
  if (networks.length > 0) log.warn({ networks }, 'exports may go to buckets in private networks')
  const hosts = parseHosts(await readFile(HOSTS_FILE, 'utf8').catch(() => ''))
  const { resolve } = createNames({ servers: [], hosts, onOutcome: () => undefined })
  const connect = createGuardedConnector({ allows: rules.urlRules.allows, resolve, timeoutMs: CONNECT_MS })
  return { box: rules.box, patienceMs: PATIENCE_MS, open: (settings) => openBucket({ ...settings, connect }) }
}

function allowedNetworks({ serviceEnv, exportAllowCidrs }: ExportBucketsConfig): string[] {
  return [...exportAllowCidrs, ...(serviceEnv === 'development' ? loopbackNetworks : [])]
}
