import type { DatabaseUrls } from '@tideport/set-up/prepare-database'
import type { Secrets } from '../data-directory/secrets.ts'
import { databaseUrl, databaseUrls } from '../provisioning/database-urls.ts'
import type { ExternalStore } from '../servers/external-servers.ts'
import type { NatsServer } from '../servers/launch-nats.ts'
import type { S3Server } from '../servers/launch-s3.ts'
import type { PostgresServer } from '../servers/postgres/launch-postgres.ts'
import type { ResolvedOptions } from './stack-options.ts'

/** Addresses of the stack's own servers and of those of the operator. Contains secrets. */
export type ServerAddresses = {
  /** Of the database, for the role that prepares it. */
  adminUrl: string
  databaseUrls: DatabaseUrls
  natsUrl: string
  store: ExternalStore
}

type Addressed<Server, Part extends keyof Server> = { current(): Pick<Server, Part> } | undefined
/** The addresses of the stack's own servers. Those that the operator runs are missing. */
export type OwnServers = {
  postgres: Addressed<PostgresServer, 'url'>
  nats: Addressed<NatsServer, 'url'>
  s3: Addressed<S3Server, 'endpoint' | 'region'>
}

const bucket = 'tideport-hot'
/** Roles of an external server have a prefix, because other programs may use it too. */
const externalRoles = 'tideport_'

export function serverAddresses(servers: OwnServers, options: ResolvedOptions, secrets: Secrets): ServerAddresses {
  const { databaseUrl: external, natsUrl, s3 } = options.production?.external ?? {}
  const { adminUrl, urls } =
    external === undefined ? embeddedDatabase(urlOf(servers.postgres), secrets) : externalDatabase(external, secrets)
  return {
    adminUrl,
    databaseUrls: urls,
    natsUrl: natsUrl ?? natsUrlOf(servers, options, secrets),
    store: s3 ?? embeddedStore(urlOf(servers.s3), secrets),
  }
}

function natsUrlOf({ nats }: OwnServers, { production }: ResolvedOptions, secrets: Secrets): string {
  const { url } = urlOf(nats)
  return production ? Object.assign(new URL(url), { username: 'tideport', password: secrets.nats }).href : url
}

/** The stack's database on its own server. */
export function embeddedDatabase({ url }: Pick<PostgresServer, 'url'>, { roles }: Secrets) {
  const adminUrl = databaseUrl(url)
  return { adminUrl, urls: databaseUrls(adminUrl, roles) }
}

/** The stack's database on a server of the operator. */
export function externalDatabase(url: string, { roles }: Secrets) {
  const adminUrl = databaseUrl(url)
  return { adminUrl, urls: databaseUrls(adminUrl, roles, externalRoles) }
}

/** The stack's bucket on its own server. */
export function embeddedStore(
  { endpoint, region }: Pick<S3Server, 'endpoint' | 'region'>,
  { s3 }: Secrets,
): ExternalStore {
  return { endpoint, region, bucket, forcePathStyle: true, ...s3 }
}

/** A server is missing only if the operator gave an address for it. */
function urlOf<T>(server: { current(): T } | undefined): T {
  if (server === undefined) throw new Error('A server was not started')
  return server.current()
}
