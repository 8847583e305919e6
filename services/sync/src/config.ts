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
      .describe('Copies that one process stores concurrently on each network, and files that it restores concurrently'),
    SYNC_NETWORKS: list(networkName)
      .prefault('')
      .describe(
        'Networks whose queues this deployment serves, comma-separated, to scale each network separately. Defaults to all networks.',
      ),
    SYNC_ATTEMPTS_MAX: integer({ min: 1, max: 20 })
      .default(8)
      .describe('Failed attempts after which a copy fails permanently'),
    SETTLE_SECONDS: confirmSettings.SETTLE_SECONDS,
    SYNC_RETRY_BASE_SECONDS: seconds({ min: 1, max: 3600 })
      .default(180)
      .describe('Delay after the first failure of a file; doubles with each further failure'),
    HOT_RETENTION_SECONDS: seconds()
      .default(86_400)
      .describe('How long a file stays in hot storage after it was synced'),
  }),
  (config) => [...faultsOfSingleCopy(config), ...faultsOfServed(config)],
)
