import { BlockList, isIP } from 'node:net'

/** `HTTP_PROXY` and similar variables, by name. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>

/**
 * The proxy for a URL, from `HTTP_PROXY`, `HTTPS_PROXY`, and `NO_PROXY`; lower-case names take precedence, as in curl.
 * Null for requests to this machine. Throws a TypeError, without the password, unless the proxy is http or https.
 */
export function proxyFor(url: URL, environment: ProxyEnvironment = process.env): URL | null {
  if (isDirect(url, firstSet(environment, 'no_proxy')?.value ?? '')) return null
  const named = firstSet(environment, `${url.protocol.slice(0, -1)}_proxy`) ?? firstSet(environment, 'all_proxy')
  if (!named) return null
  const text = named.value.includes('://') ? named.value : `http://${named.value}`
  const proxy = URL.canParse(text) ? new URL(text) : null
  if (proxy === null || !/^https?:$/.test(proxy.protocol))
    throw new TypeError(`${named.name} is not the URL of an http or https proxy. Use http://HOST:PORT.`)
  return proxy
}

export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

function firstSet(environment: ProxyEnvironment, lower: string): { name: string; value: string } | null {
  for (const name of [lower, lower.toUpperCase()]) {
    const value = environment[name]?.trim()
    if (value) return { name, value }
  }
  return null
}

/** `*`, or names, addresses, and networks, each with an optional port. A name includes its subdomains. */
function isDirect({ hostname, port, protocol }: URL, list: string): boolean {
  const host = bare(hostname)
  if (isLoopback(host)) return true
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true
    const [, bracketed, plain, entryPort] = /^(?:\[(.+)\]|([^:]*|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? []
    const wanted = bare(bracketed ?? plain ?? '').replace(/^\*?\./, '')
    if (wanted === '' || (entryPort !== undefined && entryPort !== ownPort)) return false
    return host === wanted || (isIP(host) === 0 ? host.endsWith(`.${wanted}`) : isInNetwork(host, wanted))
  })
}

const bare = (host: string) =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

const isLoopback = (host: string) =>
  host === 'localhost' || host.endsWith('.localhost') || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

function isInNetwork(address: string, network: string): boolean {
  const [start = '', bits, ...rest] = network.split('/')
  const version = isIP(start)
  const bitsMax = version === 4 ? 32 : 128
  if (version === 0 || version !== isIP(address) || rest.length > 0) return false
  if (bits !== undefined && !(/^\d+$/.test(bits) && Number(bits) <= bitsMax)) return false
  const networks = new BlockList()
  const family = version === 4 ? 'ipv4' : 'ipv6'
  networks.addSubnet(start, bits === undefined ? bitsMax : Number(bits), family)
  return networks.check(address, family)
}
