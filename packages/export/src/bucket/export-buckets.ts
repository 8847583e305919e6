import { readFile } from 'node:fs/promises'
import type { JobDeps } from '@tideport/bulk-jobs/jobs/job-kind'
import { createAddressGuard, loopbackNetworks } from '@tideport/service-kit/outgoing/address-guard'
import { createDnsResolver } from '@tideport/service-kit/outgoing/dns-resolver'
import { createGuardedConnector } from '@tideport/service-kit/outgoing/guarded-connector'
import { parseHosts } from '@tideport/service-kit/outgoing/hosts-file'
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

export interface BucketRules {
  box: SecretBox
  urlRules: UrlRules
}

export interface ExportBuckets {
  box: SecretBox
  /** The time limit for all calls of a batch. */
  patienceMs: Record<'quick' | 'slow', number>
  /** Connects only to permitted addresses. Sends no request yet. */
  open(settings: BucketSettings): Bucket
}

export interface ExportDeps extends JobDeps {
  /** Null: no exports to buckets. */
  exportBuckets: ExportBuckets | null
}

const HOSTS_FILE = '/etc/hosts'
const CONNECT_MS = 5000
const PATIENCE_MS = { quick: 30_000, slow: 120_000 }

/** Null: without a key for credentials, exports go to vaults only. */
export function bucketRules(config: ExportBucketsConfig): BucketRules | null {
  const { exportSecretKeys } = config
  if (exportSecretKeys === undefined) return null
  const urlRules = {
    isDevelopment: config.serviceEnv === 'development',
    allows: createAddressGuard(allowedNetworks(config)),
  }
  return { box: createSecretBox(exportSecretKeys), urlRules }
}

/** Like the function above, for the process that runs exports. */
export async function exportBuckets(config: ExportBucketsConfig, log: Log): Promise<ExportBuckets | null> {
  const rules = bucketRules(config)
  if (rules === null) return null
  const networks = allowedNetworks(config)
  if (networks.length > 0) log.warn({ networks }, 'exports to buckets in private networks are allowed')
  const hosts = parseHosts(await readFile(HOSTS_FILE, 'utf8').catch(() => ''))
  const { resolve } = createDnsResolver({ servers: [], hosts, onOutcome: () => undefined })
  const connect = createGuardedConnector({ allows: rules.urlRules.allows, resolve, timeoutMs: CONNECT_MS })
  return { box: rules.box, patienceMs: PATIENCE_MS, open: (settings) => openBucket({ ...settings, connect }) }
}

function allowedNetworks({ serviceEnv, exportAllowCidrs }: ExportBucketsConfig): string[] {
  return [...exportAllowCidrs, ...(serviceEnv === 'development' ? loopbackNetworks : [])]
}
