import {
  confirmSettings,
  dispatchSettings,
  downloadUrlSettings,
  hotTierSettings,
  relaySettings,
  storageNetworkSettings,
} from '@tideport/file-lifecycle/process/settings'
import { databaseSettings, natsSettings, processSettings } from '@tideport/service-kit/config/process-settings'
import { boolean, integer, seconds } from '@tideport/service-kit/config/setting'
import { z } from 'zod'

/** Settings of the eviction worker. */
export const settings = z.object({
  ...processSettings,
  ...databaseSettings,
  ...natsSettings,
  ...hotTierSettings,
  ...storageNetworkSettings,
  ...dispatchSettings,
  ...relaySettings,
  ...downloadUrlSettings,
  CONFIRM_LOST_SECONDS: confirmSettings.CONFIRM_LOST_SECONDS,
  SETTLE_SECONDS: confirmSettings.SETTLE_SECONDS,
  CONFIRM_RECHECK_SECONDS: seconds({ min: 1 }).default(60).describe('When a confirm that nobody finished is taken up'),
  EVICTION_CONCURRENCY: integer({ min: 1, max: 256 }).default(8).describe('Files a process proves or drops at once'),
  EVICTIONS_PER_MINUTE_MAX: integer({ min: 1, max: 100_000 })
    .default(600)
    .describe('Hot copies that all processes together drop in any minute: bounds what a mistake can cost'),
  EVICTION_DRY_RUN: boolean().default(false).describe('Proves copies and logs what it would do, but drops nothing'),
  EVICTION_RETRY_BASE_SECONDS: seconds({ min: 1, max: 3600 })
    .default(60)
    .describe('Wait after a proof that did not hold; doubles with each further one'),
})
