import type { Agent, ClientRequest, RequestOptions } from 'node:http'
import type { Duplex } from 'node:stream'
import { proxyAuthorization, proxyFor } from './proxy.ts'

export const CONNECT_MS = 10_000
/** Closes idle connections before the server does: a request on a closing connection fails. */
const IDLE_MS = 4_000

const agents = new Map<string, Agent>()

export const connectTimeout = () =>
  Object.assign(new Error(`No connection within ${CONNECT_MS / 1000} s`), { code: 'ETIMEDOUT' })

export async function openRequest(url: URL, options: RequestOptions): Promise<ClientRequest> {
  const proxy = proxyFor(url)
  const isTunneled = proxy !== null && url.protocol === 'https:'
  // An http proxy takes the complete URL instead of a path.
  const next = proxy === null || isTunneled ? url : proxy
  const { request } = await protocolOf(next)
  const agent = await agentFor(next, isTunneled ? proxy : null)
  if (next === url) return request(url, { ...options, agent })
  const headers = { ...(options.headers as object), host: url.host, ...proxyAuthorization(next) }
  return request({ ...options, ...addressOf(next), path: url.origin + url.pathname + url.search, headers, agent })
}

/** Loaded on the first request, because an import at startup would load all of Node's undici. */
const protocolOf = async ({ protocol }: URL) =>
  protocol === 'https:' ? await import('node:https') : await import('node:http')

const addressOf = ({ hostname, port, protocol }: URL) => ({
  host: hostname.replace(/^\[(.*)\]$/, '$1'),
  port: port || (protocol === 'https:' ? 443 : 80),
})

async function agentFor(url: URL, tunnel: URL | null): Promise<Agent> {
  const { Agent } = await protocolOf(url)
  const key = `${url.protocol} ${tunnel?.href}`
  const agent = agents.get(key) ?? new Agent({ keepAlive: true, timeout: IDLE_MS })
  if (tunnel !== null && !agents.has(key)) await tunnelBy(tunnel, agent as unknown as Tunneled)
  agents.set(key, agent)
  return agent
}

type Done = (error: Error | null, socket?: Duplex) => void
type Connect = (options: { host: string; port: number; socket?: Duplex }, done: Done) => Duplex | undefined
type Tunneled = Omit<Agent, 'createConnection'> & { createConnection: Connect }

/** Makes an agent connect through a proxy, which sees only the host. */
async function tunnelBy(proxy: URL, agent: Tunneled): Promise<void> {
  const { request } = await protocolOf(proxy)
  const secure = agent.createConnection.bind(agent)
  agent.createConnection = (options, done) => {
    const path = `${options.host.includes(':') ? `[${options.host}]` : options.host}:${options.port}`
    const headers = { host: path, ...proxyAuthorization(proxy) }
    const asked = request({ ...addressOf(proxy), method: 'CONNECT', path, headers, agent: false })
    const timer = setTimeout(() => asked.destroy(connectTimeout()), CONNECT_MS)
    asked.once('close', () => clearTimeout(timer)).once('error', done)
    asked.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200)
        return done(
          null,
          secure({ ...options, socket }, () => {}),
        )
      socket.destroy()
      const refusal = new Error(`The proxy ${proxy.host} rejected the connection with status ${statusCode}`)
      done(Object.assign(refusal, { code: 'PROXY_REFUSED' }))
    })
    asked.end()
    return undefined
  }
}
