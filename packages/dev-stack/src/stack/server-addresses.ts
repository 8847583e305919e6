import type { DatabaseUrls } from '@tideport/set-up/prepare-database'
import type { Secrets } from '../data-directory/secrets.ts'
import { databaseUrl, databaseUrls } from '../provisioning/database-urls.ts'
import type { ExternalStore } from '../servers/external-servers.ts'
import type { ResolvedOptions } from './stack-options.ts'
import type { Servers } from './start-servers.ts'

/** Addresses of the stack's own servers and of those of the operator. Contains secrets. */
export type ServerAddresses = {
  /** Of the database, for the role that prepares it. */
  adminUrl: string
  databaseUrls: DatabaseUrls
  natsUrl: string
  store: ExternalStore
}

const bucket = 'tideport-hot'
/** Roles of an external server have a prefix, because other programs may use it too. */
const externalRoles = 'tideport_'

export function serverAddresses(servers: Servers, options: ResolvedOptions, secrets: Secrets): ServerAddresses {
  const { databaseUrl: external, natsUrl, s3 } = options.production?.external ?? {}
  const adminUrl = databaseUrl(external ?? urlOf(servers.postgres).url)
  return {
    adminUrl,
    databaseUrls: databaseUrls(adminUrl, secrets.roles, external === undefined ? '' : externalRoles),
    natsUrl: natsUrl ?? natsUrlOf(servers, options, secrets),
    store: s3 ?? { ...endpointOf(servers), bucket, forcePathStyle: true, ...secrets.s3 },
  }
}

function natsUrlOf({ nats }: Servers, { production }: ResolvedOptions, secrets: Secrets): string {
  const { url } = urlOf(nats)
  return production ? Object.assign(new URL(url), { username: 'tideport', password: secrets.nats }).href : url
}

function endpointOf({ s3 }: Servers) {
  const { endpoint, region } = urlOf(s3)
  return { endpoint, region }
}

/** A server is missing only if the operator gave an address for it. */
function urlOf<T>(server: { current(): T } | undefined): T {
  if (server === undefined) throw new Error('A server was not started')
  return server.current()
}
