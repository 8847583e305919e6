import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bareEnvironment, hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { type Launched, launch } from './launch.ts'

const main = fileURLToPath(new URL('../../../services/gateway/src/main.ts', import.meta.url))
/** Limits are counted and never met. */
const LIMIT = '1000000'

/** The gateway as it is, with its log, metrics, limits and signed identities. */
export function startGateway({
  port,
  upstreamUrl,
  dir,
  privateKey = generateKeyPairSync('ed25519').privateKey,
  settings = {},
}: {
  port: number
  upstreamUrl: string
  dir: string
  /** What it signs with; nobody checks that unless told. */
  privateKey?: KeyObject
  /** Beside those that it needs. */
  settings?: Record<string, string>
}): Promise<Launched> {
  return launch({
    command: process.execPath,
    args: [main],
    env: {
      ...bareEnvironment(hostEnvironment()),
      HOST: '127.0.0.1',
      PORT: String(port),
      ADMIN_PORT: '0',
      AUTH_URL: upstreamUrl,
      FILES_URL: upstreamUrl,
      WEBHOOKS_URL: upstreamUrl,
      IDENTITY_TOKEN_PRIVATE_KEY: JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'bench' }),
      RATE_LIMIT_PER_SECOND: LIMIT,
      RATE_LIMIT_BURST: LIMIT,
      RATE_LIMIT_ANONYMOUS_PER_SECOND: LIMIT,
      RATE_LIMIT_ANONYMOUS_BURST: LIMIT,
      STREAMS_PER_ADDRESS_MAX: '1000',
      ...settings,
    },
    port,
    logFile: join(dir, 'gateway.log'),
  })
}
