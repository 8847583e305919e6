import { httpServiceSettings } from '@tideport/service-kit/config/process-settings'
import { decimal, integer, list, seconds, secretKeys, serverPattern } from '@tideport/service-kit/config/setting'
import { isDnsServer } from '@tideport/service-kit/outgoing/look-up'
import { networkSetting } from '@tideport/service-kit/outgoing/network-setting'
import { z } from 'zod'

const DAY_SECONDS = 86_400

const dnsServer = z
  .string()
  .refine(isDnsServer, 'must be IP addresses such as 10.0.0.2 or 127.0.0.1:5353')
  .meta({ pattern: serverPattern })

export const settings = z.object({
  ...httpServiceSettings(8083),
  WEBHOOK_SECRET_KEYS: secretKeys().describe(
    'Keys that encrypt signing secrets at rest, 32 bytes in base64 each, a comma list; the first one is in use, the rest still read',
  ),
  WEBHOOK_TIMEOUT_SECONDS: seconds({ min: 1, max: 60 })
    .default(15)
    .describe('How long one attempt may take, its whole answer included'),
  WEBHOOK_RETRY_SCALE: decimal()
    .default(1)
    .describe('Multiplies the retry schedule and all times counted in failures; below 1 for tests'),
  WEBHOOK_CONCURRENCY: integer({ min: 1, max: 10_000 })
    .default(128)
    .describe('Deliveries that one process may have under way at once'),
  WEBHOOK_SECRET_OVERLAP_SECONDS: seconds({ max: 7 * DAY_SECONDS })
    .default(DAY_SECONDS)
    .describe('How long the old secret still signs, beside the new one, after a rotation'),
  WEBHOOK_LOG_RETENTION_SECONDS: integer({ min: 1 })
    .default(30 * DAY_SECONDS)
    .describe('How long deliveries and their attempts can be read'),
  WEBHOOK_DNS_SERVERS: list(dnsServer)
    .default([])
    .describe(
      'DNS servers that the names of webhook targets are looked up at, a comma list of IP addresses, each with a port if it is not 53; those of /etc/resolv.conf unless set. /etc/hosts goes before them',
    ),
  WEBHOOK_ALLOW_CIDRS: list(networkSetting)
    .default([])
    .describe(
      'Networks that webhooks may be sent to although they are not public, a comma list of CIDRs; in development mode loopback always is',
    ),
})
