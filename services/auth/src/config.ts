import {
  connectionSettings,
  databaseSettings,
  identityTokenPublicSettings,
  natsSettings,
  portSetting,
  processSettings,
} from '@tideport/service-kit/config/process-settings'
import { integer } from '@tideport/service-kit/config/setting'
import { z } from 'zod'

/** Settings of the auth service. */
export const settings = z.object({
  ...processSettings,
  PORT: portSetting(8081),
  ...connectionSettings,
  ...databaseSettings,
  ...natsSettings,
  ...identityTokenPublicSettings,
  AUDIT_RETENTION_SECONDS: integer({ min: 3600, max: 315_360_000 })
    .default(365 * 86_400)
    .describe('How long the log of an account can be read'),
})
