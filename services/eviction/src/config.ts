import { faultsOfSingleCopy } from '@tideport/file-lifecycle/copies/networks'
import {
  confirmSettings,
  downloadUrlSettings,
  exportSettings,
  trashSettings,
  workerSettings,
} from '@tideport/file-lifecycle/process/settings'
import { type Config, fitting } from '@tideport/service-kit/config/config'
import { auditSettings } from '@tideport/service-kit/config/process-settings'
import { boolean, bytes, integer, seconds } from '@tideport/service-kit/config/setting'
import { z } from 'zod'

export const settings = fitting(
  z.object({
    ...workerSettings,
    ...downloadUrlSettings,
    ...auditSettings,
    ...exportSettings,
    ...trashSettings,
    CONFIRM_LOST_SECONDS: confirmSettings.CONFIRM_LOST_SECONDS,
    SETTLE_SECONDS: confirmSettings.SETTLE_SECONDS,
    CONFIRM_RECHECK_SECONDS: seconds({ min: 1 })
      .default(60)
      .describe('When a confirm that nobody finished is taken up'),
    EVICTION_CONCURRENCY: integer({ min: 1, max: 256 })
      .default(8)
      .describe('Copies a process proves at once, on each network, and hot copies it drops'),
    EVICTIONS_PER_MINUTE_MAX: integer({ min: 1, max: 100_000 })
      .default(6000)
      .describe('Hot copies that all processes together drop in any minute: bounds what a mistake can cost'),
    EVICTION_DRY_RUN: boolean().default(false).describe('Proves copies and logs what it would do, but drops nothing'),
    COPY_CHECK_SECONDS: seconds({ min: 1, max: 31_536_000 })
      .default(2_592_000)
      .describe('How often a proved copy is read in full again, on the average'),
    COPY_CHECK_BYTES_PER_SECOND: bytes({ min: 1024 })
      .default(50 * 1024 ** 2)
      .describe('Bytes that a process reads for these checks in a second, on each network'),
    COPY_WALK_SECONDS: seconds({ min: 1, max: 31_536_000 })
      .default(86_400)
      .describe('How often all files are compared with the networks that are configured'),
    ACCOUNT_JOB_RETENTION_SECONDS: seconds({ min: 60, max: 315_360_000 })
      .default(2_592_000)
      .describe('How long jobs of accounts are kept when they are over'),
    PERIODIC_TASK_PROCESSES: integer({ min: 1, max: 64 })
      .default(1)
      .describe('Eviction processes that run periodic tasks and jobs of accounts at the same time'),
    EVICTION_RETRY_BASE_SECONDS: seconds({ min: 1, max: 3600 })
      .default(60)
      .describe('Wait after a proof that did not hold; doubles with each further one'),
  }),
  faultsOfSingleCopy,
)

export type EvictionConfig = Config<typeof settings.shape>
