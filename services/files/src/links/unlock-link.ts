import { clientAddressHeader } from '@tideport/contracts/internal/request-headers'
import { unlockLink } from '@tideport/contracts/public/link-access'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { parseAddress } from '@tideport/service-kit/http/ip-address'
import { isForPeople } from '@tideport/service-kit/http/is-for-people'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { type Kysely, sql } from 'kysely'
import { wrongPasswordPage } from '../link-pages/locked-page.ts'
import { isSpent } from './find-link.ts'
import { passCookie, unlocked, writePass } from './link-cookie.ts'
import { isForJson, openVisit, sendPage, type VisitDeps } from './link-session.ts'
import type { Guess, Passwords } from './password.ts'
import { createTokenBucket } from './token-bucket.ts'

/** Cost of a password attempt in requests, because hashing takes that long. */
const TRY_COST = 5

interface Deps extends VisitDeps {
  passwords: Passwords
  metrics: Metrics
}

export function unlockLinkRoute({ passwords, metrics, ...deps }: Deps) {
  const tries = createPasswordTries(deps.db)
  const tried = metrics.counter({
    name: 'tideport_link_passwords_total',
    help: 'Password attempts on links, by outcome',
    labelNames: ['outcome'],
  })
  return serve(unlockLink, ({ params: { token }, body, charge, request, reply }) =>
    openVisit(deps, token, { request, reply }, async ({ link, pass, nowSeconds }) => {
      if (isSpent(link)) throw notFound()
      const { passwordHash } = link
      if (passwordHash !== null) {
        const clientAddress = request.headers[clientAddressHeader]?.toString() ?? ''
        const guess = { linkId: link.id, clientAddress }
        const isRight = await tries.spend(guess, () => passwords.isRight(body.password, passwordHash, guess))
        charge(TRY_COST)
        tried.inc({ outcome: isRight ? 'right' : 'wrong' })
        if (!isRight) {
          if (isForPeople(request)) return sendPage(reply.code(403), wrongPasswordPage(token))
          throw new AppError('wrong_password', 'Wrong password')
        }
      }
      const shown = unlocked(pass, nowSeconds)
      const value = writePass(deps.config.downloadTokenKeys, link.id, shown)
      reply.header('set-cookie', passCookie(value, { publicUrl: deps.config.publicUrl, token }))
      if (isForJson(request)) {
        const unlockedUntil = new Date(shown.unlockedUntil * 1000).toISOString()
        const answer = unlockLink.success.orJson.parse({ url: `${deps.config.publicUrl}/s/${token}`, unlockedUntil })
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer))
      }
      // The URL is relative to this page, so it works below any path.
      return reply.code(303).header('location', token).send()
    }),
  )
}

/**
 * Concurrent attempts, and seconds until each attempt becomes available again: per link across all processes, and per
 * address and link in each process.
 */
const OF_LINK = { burst: 20, everySeconds: 3 }
const OF_ADDRESS = { burst: 5, everySeconds: 12 }

const REFUSAL = 'Too many password attempts. Try again later.'

interface PasswordTries {
  /**
   * Counts an attempt while its password is checked, and permanently if the password is wrong. Throws 429, and the
   * errors of `isRight`.
   */
  spend(guess: Guess, isRight: () => Promise<boolean>): Promise<boolean>
}

/** Counts an attempt for the address before the link. Attempts on a link count across all processes. */
function createPasswordTries(db: Kysely<FilesDb>): PasswordTries {
  const ofAddresses = createTokenBucket({ ...OF_ADDRESS, refusal: REFUSAL })

  async function takeOfLink(linkId: string): Promise<void> {
    const { rows } = await sql`
      update link set tries_until = greatest(tries_until, now()) + make_interval(secs => ${OF_LINK.everySeconds})
      where id = ${linkId} and (tries_until is null
        or tries_until <= now() + make_interval(secs => ${OF_LINK.everySeconds * (OF_LINK.burst - 1)}))
      returning id`.execute(db)
    if (rows.length > 0) return
    throw new AppError('rate_limited', REFUSAL, { retryAfterSeconds: OF_LINK.everySeconds })
  }

  /** Best effort: otherwise the attempt expires automatically, as after a crash. */
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

/** IPv6 addresses are grouped by /64, because one customer usually owns a complete /64. */
function keyOf(linkId: string, clientAddress: string): string {
  const address = parseAddress(clientAddress)
  const network = address?.toByteArray().slice(0, 8).join('.') ?? clientAddress
  return `${linkId} ${network}`
}
