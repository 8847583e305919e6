import { type ClientPace, GRACE_MS, LOOK_MS, type Pace, watchPace } from './client-pace.ts'

const WAIT_MS = 1000
/** How many transfers may wait for each slot, both for an address and for the process. */
const WAITING_PER_SLOT = 4

export interface Holder {
  kind: 'account' | 'anonymous'
  /** The account, or the network of an anonymous client. */
  group: string
  address: string
}

export interface Transfer {
  holder: Holder
  pace: () => Pace
  cut: (bound: Bound) => void
}

export type Bound = 'address' | 'account' | 'network' | 'process'

export interface FairSlotsOptions {
  max: number
  /** Slots of one address. Default: `max`. */
  addressMax?: number
  refusal: (bound: Bound) => Error
}

/** A transfer, and the names that it is counted under. */
interface Claim extends Transfer {
  /** Names of the address, the group, the kind, and the process. Each level has a bound. */
  levels: readonly [string, string, string, string]
  /** Name of the address within the group. */
  part: string
}

interface Open extends Claim {
  clientPace: ClientPace
}

interface Waiting {
  claim: Claim
  begin: () => void
  refuse: (error: unknown) => void
}

class Counts {
  readonly #counts = new Map<string, number>()

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  add({ levels, part }: Claim, change: 1 | -1): void {
    for (const name of [...levels, part]) {
      const count = this.of(name) + change
      if (count === 0) this.#counts.delete(name)
      else this.#counts.set(name, count)
    }
  }
}

/**
 * A quarter of the slots is reserved for accounts, and a quarter for anonymous clients. With `addressMax`, an account
 * or network has at most half of them, or `addressMax` if that is more. Without a free slot, a newcomer takes the slot
 * of a client behind the minimum rate: the slowest of those with the most slots.
 */
export class FairSlots {
  readonly #max: number
  readonly #addressMax: number
  readonly #refusal: (bound: Bound) => Error
  /** One for each level of a claim. */
  readonly #bounds: readonly number[]
  readonly #held = new Counts()
  readonly #open = new Set<Open>()
  readonly #waiting = new Set<Waiting>()
  #looking: NodeJS.Timeout | undefined
  #lookedAt = 0

  constructor({ max, addressMax = max, refusal }: FairSlotsOptions) {
    this.#max = max
    this.#addressMax = addressMax
    this.#refusal = refusal
    const groupMax = Math.max(addressMax, Math.ceil(max / 2))
    this.#bounds = [addressMax, groupMax, max - Math.floor(max / 4), max]
  }

  get taken(): number {
    return this.#open.size
  }

  /** Resolves to a function that returns the slot. Rejects after 1 s, or immediately if too many transfers wait. */
  async take(transfer: Transfer, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const claim = claimOf(transfer)
    if (this.#makeRoom(claim)) return this.#begin(claim)
    const [address] = claim.levels
    const ofAddress = Array.from(this.#waiting).filter((other) => other.claim.levels[0] === address)
    if (ofAddress.length >= this.#addressMax * WAITING_PER_SLOT) throw this.#refusal('address')
    return await this.#wait(claim, signal)
  }

  #begin(claim: Claim): () => void {
    const begun = { ...claim, clientPace: watchPace(claim.pace) }
    this.#open.add(begun)
    this.#held.add(claim, 1)
    if (this.#looking === undefined) {
      this.#lookedAt = performance.now()
      this.#looking = setInterval(() => this.#look(), LOOK_MS).unref()
    }
    return () => {
      if (this.#end(begun)) this.#admit()
    }
  }

  #end(ended: Open): boolean {
    if (!this.#open.delete(ended)) return false
    this.#held.add(ended, -1)
    if (this.#open.size === 0) {
      clearInterval(this.#looking)
      this.#looking = undefined
    }
    return true
  }

  #admit(): void {
    for (const waiter of this.#inOrder()) if (this.#full(waiter.claim).length === 0) waiter.begin()
  }

  #look(): void {
    const now = performance.now()
    for (const { clientPace } of this.#open) clientPace.look(now - this.#lookedAt)
    this.#lookedAt = now
    // Other transfers of the same holder would get no slot either.
    const inVain = new Set<string>()
    for (const { claim, begin } of this.#inOrder()) {
      if (inVain.has(claim.part)) continue
      if (this.#makeRoom(claim)) begin()
      else inVain.add(claim.part)
    }
  }

  #makeRoom(newcomer: Claim): boolean {
    const full = this.#full(newcomer)
    if (full.length === 0) return true
    const victim = slowest(this.#open, newcomer, full, this.#held)
    if (victim === undefined) return false
    const bound = this.#boundOf(newcomer)
    this.#end(victim)
    victim.cut(bound)
    return true
  }

  #full({ levels }: Claim): number[] {
    return levels.flatMap((name, level) => (this.#held.of(name) < (this.#bounds[level] ?? 0) ? [] : level))
  }

  #boundOf(claim: Claim): Bound {
    const [level] = this.#full(claim)
    if (level === 0) return 'address'
    if (level !== 1) return 'process'
    return claim.holder.kind === 'account' ? 'account' : 'network'
  }

  async #wait(claim: Claim, signal: AbortSignal | undefined): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const waiter: Waiting = {
      claim,
      begin: () => {
        this.#waiting.delete(waiter)
        resolve(this.#begin(claim))
      },
      refuse: (error) => {
        this.#waiting.delete(waiter)
        reject(error)
      },
    }
    this.#waiting.add(waiter)
    this.#shorten()
    const timer = setTimeout(() => waiter.refuse(this.#refusal(this.#boundOf(claim))), WAIT_MS)
    const leave = () => waiter.refuse(signal?.reason)
    signal?.addEventListener('abort', leave, { once: true })
    return await promise.finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    })
  }

  /** If too many transfers wait, refuses the newest one of the group with the most waiting transfers. */
  #shorten(): void {
    if (this.#waiting.size <= this.#max * WAITING_PER_SLOT) return
    const groups = Map.groupBy(this.#waiting, ({ claim }) => claim.levels[1])
    const last = [...groups.values()].reduce((most, group) => (group.length > most.length ? group : most)).at(-1)
    last?.refuse(this.#refusal(this.#boundOf(last.claim)))
  }

  /** Waiting transfers in order: by fewest slots of the group, fewest slots of the address in it, then arrival. */
  #inOrder(): Waiting[] {
    if (this.#waiting.size === 0) return []
    const shares = Array.from(this.#waiting, (waiter) => {
      const { levels, part } = waiter.claim
      return { waiter, ofGroup: this.#held.of(levels[1]), ofAddress: this.#held.of(part) }
    })
    shares.sort((one, other) => one.ofGroup - other.ofGroup || one.ofAddress - other.ofAddress)
    return shares.map(({ waiter }) => waiter)
  }
}

function claimOf(transfer: Transfer): Claim {
  const { kind, group, address } = transfer.holder
  const names = { address: `address ${address}`, group: `${kind} ${group}`, kind: `all ${kind}` }
  return { ...transfer, levels: [names.address, names.group, names.kind, 'all'], part: `${names.group} of ${address}` }
}

/** The slowest transfer that may lose its slot, from the group with the most slots and its address with the most. */
function slowest(open: Iterable<Open>, newcomer: Claim, full: number[], held: Counts): Open | undefined {
  const isIn = ({ levels }: Claim) => full.every((level) => levels[level] === newcomer.levels[level])
  /** How many more slots this transfer's group has than the newcomer's. Within one group, compares the addresses. */
  function moreOf({ levels, part }: Claim): number {
    if (full[0] === 0) return 0
    const isOfGroup = levels[1] === newcomer.levels[1]
    return isOfGroup ? held.of(part) - held.of(newcomer.part) : held.of(levels[1]) - held.of(newcomer.levels[1])
  }
  function isWorse(one: Open, other: Open): boolean {
    const byGroup = held.of(one.levels[1]) - held.of(other.levels[1])
    const byAddress = held.of(one.part) - held.of(other.part)
    return (byGroup || byAddress || one.clientPace.behindMs - other.clientPace.behindMs) > 0
  }
  const holdsNone = held.of(newcomer.levels[1]) === 0
  function graceOf(transfer: Open): number {
    const more = moreOf(transfer)
    if (more < 0) return Infinity
    if (more >= 2) return GRACE_MS.fewer
    return more === 1 && holdsNone ? GRACE_MS.none : GRACE_MS.equal
  }
  let found: Open | undefined
  for (const transfer of open) {
    if (!isIn(transfer) || transfer.clientPace.behindMs < graceOf(transfer)) continue
    if (transfer.clientPace.isWaiting && (!found || isWorse(transfer, found))) found = transfer
  }
  return found
}
