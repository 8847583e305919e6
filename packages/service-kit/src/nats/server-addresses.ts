/** What nats.js takes apart: addresses without credentials, and the credentials, which it does not look for in them. */
export interface ServerAddresses {
  servers: string[]
  user?: string
  pass?: string
  token?: string
}

/**
 * `nats://user:password@host` or `nats://token@host`; all servers of a cluster know the same ones, so the first counts.
 */
export function serverAddresses(urls: readonly string[]): ServerAddresses {
  const parsed = urls.map((url) => new URL(url))
  const servers = parsed.map(({ protocol, host }) => `${protocol}//${host}`)
  const named = parsed.find(({ username }) => username !== '')
  if (named === undefined) return { servers }
  const [user, pass] = [decodeURIComponent(named.username), decodeURIComponent(named.password)]
  return pass === '' ? { servers, token: user } : { servers, user, pass }
}
