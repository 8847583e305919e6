import { databaseSettings, identityTokenPublicSettings, processSettings } from '@tideport/service-kit/process-settings'
import { port } from '@tideport/service-kit/setting'
import { z } from 'zod'

/** Settings of the auth service. */
export const settings = z.object({
  ...processSettings,
  PORT: port().default(8081).describe('Port of the API; 0 takes a free one'),
  ...databaseSettings,
  ...identityTokenPublicSettings,
})
