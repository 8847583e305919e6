import { httpServiceSettings } from '@tideport/service-kit/config/process-settings'
import { decimal } from '@tideport/service-kit/config/setting'
import { z } from 'zod'

export const settings = z.object({
  ...httpServiceSettings(8081),
  REVOCATION_WAIT_SECONDS: decimal({ max: 5 })
    .default(1)
    .describe(
      'How long gateways may use an answer about an API key at most; so long, and a quarter more, the answer to a revocation waits after its commit',
    ),
})
