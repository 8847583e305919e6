import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { parseAddress } from '@tideport/service-kit/http/ip-address'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'

/** Tries at once, and seconds for each that comes back: of a link over all processes, and of an address at a link in each. */
const OF_LINK = { burst: 20, everySeconds: 3 }
const OF_ADDRESS = { burst: 5, everySeconds: 12 }
const ADDRESSES_MAX = 10_000

export interface PasswordTries {
  /** Counts a try before its password is looked at. Throws 429. */
  take(linkId: string, clientAddress: string): Promise<void>
  /** It was right, and is not counted. */
  giveBack(linkId: string, clientAddress: string): Promise<void>
}

/**
 * Whoever guesses uses up what their address has before what the link has, so the others still get in; many addresses
 * together get no further than the link's tries, in whatever processes they arrive.
 */
export function createPasswordTries(db: Kysely<FilesDb>): PasswordTries {
  /** When what an address has used of a link is back, in ms; the one that was used last is the last. */
  const used = new Map<string, number>()

  function takeOfAddress(key: string): void {
    const [now, stepMs] = [Date.now(), OF_ADDRESS.everySeconds * 1000]
    const until = Math.max(used.get(key) ?? 0, now)
    if (until > now + (OF_ADDRESS.burst - 1) * stepMs) throw tooMany(OF_ADDRESS.everySeconds)
    used.delete(key)
    used.set(key, until + stepMs)
    for (const oldest of used.keys()) if (used.size > ADDRESSES_MAX) used.delete(oldest)
  }

  return {
    async take(linkId, clientAddress) {
      takeOfAddress(keyOf(linkId, clientAddress))
      const { rows } = await sql`
        update link set tries_until = greatest(tries_until, now()) + make_interval(secs => ${OF_LINK.everySeconds})
        where id = ${linkId} and (tries_until is null
          or tries_until <= now() + make_interval(secs => ${OF_LINK.everySeconds * (OF_LINK.burst - 1)}))
        returning id`.execute(db)
      if (rows.length === 0) throw tooMany(OF_LINK.everySeconds)
    },
    async giveBack(linkId, clientAddress) {
      const key = keyOf(linkId, clientAddress)
      const until = used.get(key)
      if (until !== undefined) used.set(key, until - OF_ADDRESS.everySeconds * 1000)
      await sql`
        update link set tries_until = tries_until - make_interval(secs => ${OF_LINK.everySeconds})
        where id = ${linkId}`.execute(db)
    },
  }
}

/** An IPv6 address counts as its /64, which one customer owns whole. */
function keyOf(linkId: string, clientAddress: string): string {
  const address = parseAddress(clientAddress)
  const network = address?.toByteArray().slice(0, 8).join('.') ?? clientAddress
  return `${linkId} ${network}`
}

function tooMany(retryAfterSeconds: number): AppError {
  return new AppError('rate_limited', 'Too many passwords were tried', { retryAfterSeconds })
}
