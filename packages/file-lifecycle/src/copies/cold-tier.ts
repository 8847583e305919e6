import { ConfigError } from '@tideport/service-kit/config/config'
import { openStorageNetwork, type StorageNetworkConfig } from '@tideport/storage-network/open-network'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { installationIdOf } from '../state/installation-id.ts'
import type { FilesDb } from '../state/tables.ts'

export interface ColdTierConfig extends StorageNetworkConfig {
  serviceEnv: string
  embeddedNetworkAcceptSingleCopy: boolean
}

/**
 * The cold tier: the configured storage network, not contacted yet. The embedded one keeps one copy on one disk, so
 * outside development it has to be accepted on purpose (docs/file-lifecycle.md §11).
 * @throws ConfigError when it was not, Error when the driver is not there
 */
export function openColdTier(config: ColdTierConfig, db: Kysely<FilesDb>): StorageNetwork {
  const isSingleCopy = config.storageNetwork === 'embedded'
  if (isSingleCopy && config.serviceEnv !== 'development' && !config.embeddedNetworkAcceptSingleCopy) {
    throw new ConfigError([
      'STORAGE_NETWORK: the embedded network keeps one copy on one disk; set EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY=true to accept that',
    ])
  }
  return openStorageNetwork(config, { installationId: installationIdOf(db) })
}
