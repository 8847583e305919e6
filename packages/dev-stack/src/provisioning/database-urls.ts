import type { DatabaseUrls, Owner } from '@tideport/set-up/prepare-database'

const database = 'tideport'

/** URLs of the stack's database for each owner, whose role has the name of its schema. */
export function databaseUrls(superuserUrl: string, passwords: Record<Owner, string>): DatabaseUrls {
  const urlOf = (username: Owner) =>
    Object.assign(new URL(databaseUrl(superuserUrl)), { username, password: passwords[username] }).href
  return { auth: urlOf('auth'), files: urlOf('files'), webhooks: urlOf('webhooks') }
}

export function databaseUrl(superuserUrl: string): string {
  return Object.assign(new URL(superuserUrl), { pathname: `/${database}` }).href
}

/** The same URLs through a proxy, such as a pooler, on this port of 127.0.0.1. */
export function throughPort(urls: DatabaseUrls, port: number): DatabaseUrls {
  const through = (url: string) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href
  return { auth: through(urls.auth), files: through(urls.files), webhooks: through(urls.webhooks) }
}
