import { clientAddressHeader } from '@tideport/contracts/internal/request-headers'
import { unlockLink } from '@tideport/contracts/public/link-access'
import { isForPeople } from '@tideport/service-kit/http/is-for-people'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { wrongPasswordPage } from '../link-pages/locked-page.ts'
import { isSpent } from './find-link.ts'
import { isForJson, openVisit, sendPage, type VisitDeps } from './open-visit.ts'
import { passCookie, unlocked, writePass } from './pass.ts'
import type { Passwords } from './password.ts'
import { createPasswordTries } from './password-tries.ts'

/** A password costs its address this many requests more: hashing it takes that long. */
const TRY_COST = 5

interface Deps extends VisitDeps {
  passwords: Passwords
  metrics: Metrics
}

export function unlockLinkRoute({ passwords, metrics, ...deps }: Deps) {
  const tries = createPasswordTries(deps.db)
  const tried = metrics.counter({
    name: 'tideport_link_passwords_total',
    help: 'Passwords of links that were tried, by whether they were right',
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
          throw new AppError('wrong_password', 'This is not the password')
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
      // Relative to this page, wherever that is.
      return reply.code(303).header('location', token).send()
    }),
  )
}
