import {
  databaseSettings,
  identityTokenPublicSettings,
  natsSettings,
  processSettings,
} from '@tideport/service-kit/process-settings'
import { decimal, integer, list, seconds, secret } from '@tideport/service-kit/setting'
import { z } from 'zod'

const secretKey = z
  .string()
  .regex(/^[A-Za-z0-9+/_-]{43}=?$/, 'must be 32 bytes in base64')
  .transform((text) => Buffer.from(text, 'base64'))

/** Settings of this process (docs/configuration.md). */
export const settings = z.object({
  ...processSettings,
  ...databaseSettings,
  ...natsSettings,
  ...identityTokenPublicSettings,
  WEBHOOK_SECRET_KEYS: secret(list(secretKey).refine((keys) => keys.length > 0, 'must hold a key')).describe(
    'Keys that encrypt signing secrets at rest, 32 bytes in base64 each, a comma list; the first one is in use, the rest still read',
  ),
  WEBHOOK_TIMEOUT_SECONDS: seconds({ min: 1, max: 60 })
    .default(15)
    .describe('How long one attempt may take, its whole answer included'),
  WEBHOOK_RETRY_SCALE: decimal().default(1).describe('Multiplies the whole retry schedule; below 1 for tests'),
  WEBHOOK_CONCURRENCY: integer({ min: 1, max: 10_000 })
    .default(128)
    .describe('Deliveries that one process may have under way at once'),
})
