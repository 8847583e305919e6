/** What nats.js takes apart: addresses without credentials, and the credentials, which it does not look for in them. */
export interface ServerAddresses {
  servers: string[]
  user?: string
  pass?: string
  token?: string
  /** There if one begins with `tls:`; nats.js by itself takes what the server offers, be it no TLS at all. */
  tls?: object
}

/**
 * `nats://user:password@host` or `nats://token@host`; all servers of a cluster know the same ones, so the first counts.
 * With `tls://` nothing is said to a server without TLS, or whose certificate is not trusted.
 */
export function serverAddresses(urls: readonly string[]): ServerAddresses {
  const parsed = urls.map((url) => new URL(url))
  const servers = parsed.map(({ protocol, host }) => `${protocol}//${host}`)
  const demanded = parsed.some(({ protocol }) => protocol === 'tls:') ? { servers, tls: {} } : { servers }
  const named = parsed.find(({ username }) => username !== '')
  if (named === undefined) return demanded
  const [user, pass] = [decodeURIComponent(named.username), decodeURIComponent(named.password)]
  return pass === '' ? { ...demanded, token: user } : { ...demanded, user, pass }
}
