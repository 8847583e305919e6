import {
  dispatchSettings,
  hotTierSettings,
  relaySettings,
  storageNetworkSettings,
} from '@tideport/file-lifecycle/process/settings'
import { databaseSettings, natsSettings, processSettings } from '@tideport/service-kit/config/process-settings'
import { integer, seconds } from '@tideport/service-kit/config/setting'
import { z } from 'zod'

/** Settings of the sync worker. */
export const settings = z.object({
  ...processSettings,
  ...databaseSettings,
  ...natsSettings,
  ...hotTierSettings,
  ...storageNetworkSettings,
  ...dispatchSettings,
  ...relaySettings,
  SYNC_CONCURRENCY: integer({ min: 1, max: 256 }).default(8).describe('Files a process copies at once'),
  SYNC_ATTEMPTS_MAX: integer({ min: 1, max: 20 }).default(8).describe('Failures of one file until it is in error'),
  SYNC_RETRY_BASE_SECONDS: seconds({ min: 1, max: 3600 })
    .default(180)
    .describe('Wait after the first failure of a file; doubles with each further one'),
  HOT_RETENTION_SECONDS: seconds().default(86_400).describe('How long a file stays hot after it was synced'),
})
