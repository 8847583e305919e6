import { consoleDir } from '../console/keep-console.ts'
import type { Secrets } from '../data-directory/secrets.ts'
import type { ColdTier } from '../services/cold-tier.ts'
import type { Wiring } from '../services/service-environment.ts'
import type { ServerAddresses } from './server-addresses.ts'
import type { ResolvedOptions } from './stack-options.ts'

/** The parts of the services' settings that are known before their ports. */
export function wiringOf(
  { production, checkout, host, overrides }: ResolvedOptions,
  { databaseUrls, natsUrl, store }: ServerAddresses,
  { settings: coldTier }: ColdTier,
  secrets: Secrets,
): Omit<Wiring, 'services'> {
  return {
    secrets,
    databaseUrls,
    natsUrl,
    s3: store,
    coldTier,
    consoleDir: production?.consoleDir ?? consoleDir(checkout),
    production: production && { host: production.host, ownsStore: production.external.s3 === undefined },
    host,
    overrides,
  }
}
