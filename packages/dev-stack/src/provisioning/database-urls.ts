import type { DatabaseUrls, Owner } from '@tideport/set-up/prepare-database'

const database = 'tideport'

/** The stack's database as each owner reaches it, whose role is named as its schema. */
export function databaseUrls(superuserUrl: string, passwords: Record<Owner, string>): DatabaseUrls {
  const urlOf = (username: Owner) =>
    Object.assign(new URL(databaseUrl(superuserUrl)), { username, password: passwords[username] }).href
  return { auth: urlOf('auth'), files: urlOf('files'), webhooks: urlOf('webhooks') }
}

export function databaseUrl(superuserUrl: string): string {
  return Object.assign(new URL(superuserUrl), { pathname: `/${database}` }).href
}

/** The same databases, reached through something that listens on this port of 127.0.0.1. */
export function throughPort(urls: DatabaseUrls, port: number): DatabaseUrls {
  const through = (url: string) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href
  return { auth: through(urls.auth), files: through(urls.files), webhooks: through(urls.webhooks) }
}
