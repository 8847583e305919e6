import type { DatabaseUrls, Owner } from '@tideport/set-up/prepare-database'

const database = 'tideport'

/** URLs of a database for each owner, whose role has the name of its schema, after `prefix`. */
export function databaseUrls(adminUrl: string, passwords: Record<Owner, string>, prefix = ''): DatabaseUrls {
  const urlOf = (owner: Owner) =>
    Object.assign(new URL(databaseUrl(adminUrl)), { username: `${prefix}${owner}`, password: passwords[owner] }).href
  return { auth: urlOf('auth'), files: urlOf('files'), webhooks: urlOf('webhooks') }
}

/** URL of the stack's database. An external server may have another database for it. */
export function databaseUrl(url: string): string {
  const { pathname } = new URL(url)
  const isNamed = pathname.length > 1 && pathname !== '/postgres'
  return isNamed ? url : Object.assign(new URL(url), { pathname: `/${database}` }).href
}

/** The same URLs through a proxy, such as a pooler, on this port of 127.0.0.1. */
export function throughPort(urls: DatabaseUrls, port: number): DatabaseUrls {
  const through = (url: string) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href
  return { auth: through(urls.auth), files: through(urls.files), webhooks: through(urls.webhooks) }
}
