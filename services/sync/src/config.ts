import { networkName } from '@tideport/contracts/internal/network-name'
import { faultsOfSingleCopy } from '@tideport/file-lifecycle/copies/networks'
import { confirmSettings, workerSettings } from '@tideport/file-lifecycle/process/settings'
import { fitting } from '@tideport/service-kit/config/config'
import { integer, list, seconds } from '@tideport/service-kit/config/setting'
import { z } from 'zod'
import { faultsOfServed } from './served-networks.ts'

export const settings = fitting(
  z.object({
    ...workerSettings,
    SYNC_CONCURRENCY: integer({ min: 1, max: 256 })
      .default(32)
      .describe('Copies a process stores at once, on each network, and files that it brings back'),
    SYNC_NETWORKS: list(networkName)
      .prefault('')
      .describe('Names of the networks whose queues this deployment serves, so that each is scaled alone; unset: all'),
    SYNC_ATTEMPTS_MAX: integer({ min: 1, max: 20 }).default(8).describe('Failures of one copy until it is given up'),
    SETTLE_SECONDS: confirmSettings.SETTLE_SECONDS,
    SYNC_RETRY_BASE_SECONDS: seconds({ min: 1, max: 3600 })
      .default(180)
      .describe('Wait after the first failure of a file; doubles with each further one'),
    HOT_RETENTION_SECONDS: seconds().default(86_400).describe('How long a file stays hot after it was synced'),
  }),
  (config) => [...faultsOfSingleCopy(config), ...faultsOfServed(config)],
)
