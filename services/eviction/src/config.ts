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
      .describe('Time after which a worker continues an unfinished confirm'),
    EVICTION_CONCURRENCY: integer({ min: 1, max: 256 })
      .default(8)
      .describe(
        'Copies that one process proves concurrently on each network, and hot copies that it evicts concurrently',
      ),
    EVICTIONS_PER_MINUTE_MAX: integer({ min: 1, max: 100_000 })
      .default(6000)
      .describe('Hot copies that all processes together may evict per minute, to limit the damage of a mistake'),
    EVICTION_DRY_RUN: boolean()
      .default(false)
      .describe('Proves copies and logs what would be evicted, but evicts nothing'),
    COPY_CHECK_SECONDS: seconds({ min: 1, max: 31_536_000 })
      .default(2_592_000)
      .describe('Average interval between two complete reads of a proved copy'),
    COPY_CHECK_BYTES_PER_SECOND: bytes({ min: 1024 })
      .default(50 * 1024 ** 2)
      .describe('Bytes per second that one process reads on each network to check proved copies'),
    COPY_WALK_SECONDS: seconds({ min: 1, max: 31_536_000 })
      .default(86_400)
      .describe('Interval at which all files are compared with the configured networks'),
    ACCOUNT_JOB_RETENTION_SECONDS: seconds({ min: 60, max: 315_360_000 })
      .default(2_592_000)
      .describe('How long finished account jobs are kept'),
    PERIODIC_TASK_PROCESSES: integer({ min: 1, max: 64 })
      .default(1)
      .describe('Eviction processes that run periodic tasks and account jobs at the same time'),
    EVICTION_RETRY_BASE_SECONDS: seconds({ min: 1, max: 3600 })
      .default(60)
      .describe('Delay after a failed proof; doubles with each further failure'),
  }),
  faultsOfSingleCopy,
)

export type EvictionConfig = Config<typeof settings.shape>
