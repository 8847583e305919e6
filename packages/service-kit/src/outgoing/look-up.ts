import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'

const LOOK_UP_MS = 2000
/** How long a lookup may get no response before `onDoubt` checks whether the resolver responds at all. */
const DOUBT_MS = 1000
const TRY_MS = 500
const TRIES = 3

/** Responses that report no addresses. The last one means that the name is not valid in DNS. */
const NO_ADDRESSES = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])
const SILENCE = new Set(['ETIMEOUT', 'ECANCELLED'])

/** `silent` and `failed` are the name's fault only if the resolver responds to other queries. */
export type LookUpResult = { kind: 'found'; addresses: LookupAddress[] } | { kind: 'none' | 'silent' | 'failed' }

interface LookUpOptions {
  /** IP addresses of DNS servers, each with an optional port. If empty, the system's resolvers are used. */
  servers: readonly string[]
  onDoubt: () => void
}

/**
 * Settles within 2 s and never rejects. If one address family fails, the other is used. Each lookup has its own
 * sockets, so nobody can guess its ports.
 */
export async function lookUp(name: string, { servers, onDoubt }: LookUpOptions): Promise<LookUpResult> {
  const resolver = openResolver(servers)
  const doubt = setTimeout(onDoubt, DOUBT_MS)
  const end = setTimeout(() => resolver.cancel(), LOOK_UP_MS)
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  clearTimeout(doubt)
  clearTimeout(end)
  const addresses = [...addressesOf(v4, 4), ...addressesOf(v6, 6)]
  if (addresses.length > 0) return { kind: 'found', addresses }
  const codes = [codeOf(v4), codeOf(v6)]
  // ENOTFOUND for one type means that the name does not exist at all.
  if (codes.includes('ENOTFOUND') || codes.every((code) => NO_ADDRESSES.has(code))) return { kind: 'none' }
  return { kind: codes.some((code) => SILENCE.has(code)) ? 'silent' : 'failed' }
}

/**
 * Whether the DNS servers respond within one second to a query that every resolver can answer: the servers of the
 * root.
 */
export async function resolverAnswers(servers: readonly string[]): Promise<boolean> {
  const resolver = openResolver(servers)
  const end = setTimeout(() => resolver.cancel(), LOOK_UP_MS - DOUBT_MS)
  try {
    return (await resolver.resolveNs('.')).length > 0
  } catch (error) {
    return NO_ADDRESSES.has((error as NodeJS.ErrnoException).code ?? '')
  } finally {
    clearTimeout(end)
  }
}

function openResolver(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES, maxTimeout: TRY_MS })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

function addressesOf(result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []
}

function codeOf(result: PromiseSettledResult<string[]>): string {
  return result.status === 'fulfilled' ? 'ENODATA' : (result.reason.code ?? '')
}

/** Whether this is an IP address with an optional port. An IPv6 address with a port needs brackets. */
export function isDnsServer(text: string): boolean {
  try {
    new Resolver().setServers([text])
    return true
  } catch {
    return false
  }
}
