import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { parseAddress } from '@tideport/service-kit/http/ip-address'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import { createAllowance } from './allowance.ts'
import type { Guess } from './password.ts'

/** Tries at once, and seconds for each that comes back: of a link over all processes, and of an address at a link in each. */
const OF_LINK = { burst: 20, everySeconds: 3 }
const OF_ADDRESS = { burst: 5, everySeconds: 12 }

const REFUSAL = 'Too many passwords were tried'

interface PasswordTries {
  /** A try counts while its password is checked, and stays counted if that was wrong. Throws 429, and what `isRight` throws. */
  spend(guess: Guess, isRight: () => Promise<boolean>): Promise<boolean>
}

/** An address loses its own tries before those of the link. Tries of the link count in all processes. */
export function createPasswordTries(db: Kysely<FilesDb>): PasswordTries {
  const ofAddresses = createAllowance({ ...OF_ADDRESS, refusal: REFUSAL })

  async function takeOfLink(linkId: string): Promise<void> {
    const { rows } = await sql`
      update link set tries_until = greatest(tries_until, now()) + make_interval(secs => ${OF_LINK.everySeconds})
      where id = ${linkId} and (tries_until is null
        or tries_until <= now() + make_interval(secs => ${OF_LINK.everySeconds * (OF_LINK.burst - 1)}))
      returning id`.execute(db)
    if (rows.length > 0) return
    throw new AppError('rate_limited', REFUSAL, { retryAfterSeconds: OF_LINK.everySeconds })
  }

  /** Best effort: a try that stays counted expires automatically, as it does when the process is killed. */
  async function giveBackOfLink(linkId: string): Promise<void> {
    const statement = sql`
      update link set tries_until = tries_until - make_interval(secs => ${OF_LINK.everySeconds})
      where id = ${linkId}`
    await statement.execute(db).catch(() => undefined)
  }

  return {
    async spend({ linkId, clientAddress }, isRight) {
      const key = keyOf(linkId, clientAddress)
      ofAddresses.take(key)
      let [isOfLink, isWrong] = [false, false]
      try {
        await takeOfLink(linkId)
        isOfLink = true
        isWrong = !(await isRight())
        return !isWrong
      } finally {
        if (!isWrong) ofAddresses.giveBack(key)
        if (!isWrong && isOfLink) await giveBackOfLink(linkId)
      }
    },
  }
}

/** An IPv6 address counts as its /64, which one customer owns whole. */
function keyOf(linkId: string, clientAddress: string): string {
  const address = parseAddress(clientAddress)
  const network = address?.toByteArray().slice(0, 8).join('.') ?? clientAddress
  return `${linkId} ${network}`
}
