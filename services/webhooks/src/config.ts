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
    'Keys that encrypt signing secrets at rest, 32 bytes in base64 each, comma-separated. The first one encrypts; the others only decrypt.',
  ),
  WEBHOOK_TIMEOUT_SECONDS: seconds({ min: 1, max: 60 })
    .default(15)
    .describe('Time limit of one attempt, including the complete response'),
  WEBHOOK_RETRY_SCALE: decimal()
    .default(1)
    .describe('Multiplies the retry delays and all periods of failure detection; below 1 for tests'),
  WEBHOOK_CONCURRENCY: integer({ min: 1, max: 10_000 }).default(128).describe('Concurrent deliveries of one process'),
  WEBHOOK_SECRET_OVERLAP_SECONDS: seconds({ max: 7 * DAY_SECONDS })
    .default(DAY_SECONDS)
    .describe('How long the old secret continues to sign, alongside the new one, after a rotation'),
  WEBHOOK_LOG_RETENTION_SECONDS: integer({ min: 1 })
    .default(30 * DAY_SECONDS)
    .describe('How long deliveries and their attempts are kept'),
  WEBHOOK_DNS_SERVERS: list(dnsServer)
    .default([])
    .describe(
      'DNS servers for the names of webhook targets: comma-separated IP addresses, with a port if it is not 53. Defaults to /etc/resolv.conf. /etc/hosts takes precedence.',
    ),
  WEBHOOK_ALLOW_CIDRS: list(networkSetting)
    .default([])
    .describe(
      'Non-public networks that webhooks may be sent to, comma-separated CIDRs. Development mode always allows loopback.',
    ),
})
