import { AsyncLocalStorage } from 'node:async_hooks'
import type { LookupAddress } from 'node:dns'
import { literalAddress } from './address-guard.ts'
import type { Resolve } from './guarded-connector.ts'
import { type LookUpResult, lookUp, resolverAnswers } from './look-up.ts'

const LOOK_UPS_MAX = 512
const LOOK_UPS_PER_ACCOUNT_MAX = 20
/** How many connection attempts can wait for names at once. They do not block other attempts. */
const WAITING_MAX = 2048
/** How long a result is reused. Its addresses are still checked on every connection. */
const KEPT_MS = { found: 10_000, none: 5000, silent: 5000, failed: 5000, resolver_down: 1000 } as const
const KEPT_MAX = 10_000
/** How long the resolver counts as down if no other lookup follows. */
const DOWN_MS = 10_000

/** The account that a lookup inside this context counts for. */
export const lookingUpFor = new AsyncLocalStorage<string>()

interface DnsResolverOptions {
  /** IP addresses of DNS servers, each with an optional port. If empty, the system's resolvers are used. */
  servers: readonly string[]
  /** Names from the hosts file, which need no lookup. */
  hosts: ReadonlyMap<string, LookupAddress[]>
  onOutcome: (outcome: NameOutcome) => void
}

export type NameOutcome = 'found' | NameProblem
type Known = Extract<LookUpResult, { kind: 'found' }> | { kind: NameProblem }

export interface DnsResolver {
  /** Settles within 2 s. Rejects with a `NameError`. */
  resolve: Resolve
  waiting(): number
  /** Whether the resolver did not respond to the last query. */
  isDown(): boolean
}

/**
 * Callers share one lookup for each name. Its result is reused for seconds, also a failure. Lookups over the limit of
 * the account or of the process are refused immediately.
 */
export function createDnsResolver({ servers, hosts, onOutcome }: DnsResolverOptions): DnsResolver {
  const known = new Map<string, Promise<Known>>()
  const underWay = new Map<string, number>()
  let underWayTotal = 0
  let waiting = 0
  let downUntil = Number.NEGATIVE_INFINITY
  let lastAnswerAt = Number.NEGATIVE_INFINITY
  let asking: Promise<boolean> | undefined

  const askResolver = () => {
    asking ??= resolverAnswers(servers).finally(() => {
      asking = undefined
    })
    return asking
  }

  /** If a name gets no response, the name is at fault if the resolver responds to other queries; otherwise we are. */
  async function judge(name: string): Promise<Known> {
    let doubtedAt = Number.POSITIVE_INFINITY
    const doubt = () => {
      doubtedAt = performance.now()
      return askResolver()
    }
    let isAlive: Promise<boolean> | undefined
    const result = await lookUp(name, {
      servers,
      onDoubt: () => {
        isAlive = doubt()
      },
    })
    const isAnswer = result.kind === 'found' || result.kind === 'none'
    if (isAnswer) lastAnswerAt = performance.now()
    if (isAnswer || (await (isAlive ?? doubt())) || lastAnswerAt > doubtedAt) {
      downUntil = Number.NEGATIVE_INFINITY
      return result
    }
    downUntil = performance.now() + DOWN_MS
    return { kind: 'resolver_down' }
  }

  async function lookUpFor(account: string, name: string): Promise<Known> {
    underWay.set(account, (underWay.get(account) ?? 0) + 1)
    underWayTotal += 1
    const result = await judge(name)
    underWayTotal -= 1
    const left = (underWay.get(account) ?? 1) - 1
    if (left === 0) underWay.delete(account)
    else underWay.set(account, left)
    onOutcome(result.kind)
    setTimeout(() => known.delete(name), KEPT_MS[result.kind as keyof typeof KEPT_MS]).unref()
    return result
  }

  async function find(name: string): Promise<Known> {
    const kept = known.get(name)
    if (kept !== undefined) return await kept
    const account = lookingUpFor.getStore() ?? ''
    const isFull =
      underWayTotal >= LOOK_UPS_MAX ||
      (underWay.get(account) ?? 0) >= LOOK_UPS_PER_ACCOUNT_MAX ||
      known.size >= KEPT_MAX
    if (isFull) return { kind: 'busy' }
    const result = lookUpFor(account, name)
    known.set(name, result)
    return await result
  }

  return {
    async resolve(hostname) {
      const local = localAddresses(hostname, hosts)
      if (local !== undefined) return local
      if (waiting >= WAITING_MAX) return refuse('busy')
      waiting += 1
      const result = await find(hostname.toLowerCase()).finally(() => {
        waiting -= 1
      })
      return result.kind === 'found' ? result.addresses : refuse(result.kind)
    },
    waiting: () => waiting,
    isDown: () => performance.now() < downUntil,
  }

  function refuse(problem: NameProblem): never {
    if (problem === 'busy') onOutcome('busy')
    throw new NameError(problem)
  }
}

/** The addresses of names that need no DNS: loopback names (RFC 6761) and names in the operator's hosts file. */
function localAddresses(hostname: string, hosts: DnsResolverOptions['hosts']): LookupAddress[] | undefined {
  const named = hosts.get(hostname.toLowerCase())
  if (named !== undefined) return named
  if (literalAddress(hostname) === null) return undefined
  return [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
}

/** Why a name has no addresses. The first three are the name's fault; the others are ours. */
type NameProblem = 'none' | 'silent' | 'failed' | 'resolver_down' | 'busy'

const CODES: Record<NameProblem, string> = {
  none: 'ENOTFOUND',
  silent: 'NAME_SILENT',
  failed: 'ENOTFOUND',
  resolver_down: 'NAME_NOT_LOOKED_UP',
  busy: 'NAME_NOT_LOOKED_UP',
}

class NameError extends Error {
  override name = 'NameError'
  readonly code: string

  constructor(problem: NameProblem) {
    super(`The name has no addresses: ${problem}`)
    this.code = CODES[problem]
  }
}
