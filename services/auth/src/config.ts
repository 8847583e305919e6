import {
  connectionSettings,
  databaseSettings,
  identityTokenPublicSettings,
  portSetting,
  processSettings,
} from '@tideport/service-kit/config/process-settings'
import { z } from 'zod'

/** Settings of the auth service. */
export const settings = z.object({
  ...processSettings,
  PORT: portSetting(8081),
  ...connectionSettings,
  ...databaseSettings,
  ...identityTokenPublicSettings,
})
