import { beginSetUp, completeSetUp } from '@tideport/contracts/public/set-up'
import { serve } from '@tideport/service-kit/http/route'
import { sql } from 'kysely'
import { recordEvent } from '../audit/record-event.ts'
import { lockOwnAccount } from '../keys/first-key.ts'
import { createSession, signInOrigin } from '../keys/sessions.ts'
import { creationOptions, type OwnerDeps, storePasskey } from './passkeys.ts'
import { createRecoveryCode, recoveryDigest } from './recovery-code.ts'
import { assertToken, useToken } from './set-up-token.ts'
import { loadWebAuthn } from './verify-passkey.ts'

export interface SetUpDeps extends OwnerDeps {
  publicUrl: string | undefined
}

export function beginSetUpRoute({ db, relyingParty, publicUrl }: SetUpDeps) {
  return serve(beginSetUp, async ({ body }) => {
    const digest = await assertToken(db, body.token)
    const passkey = relyingParty && (await creationOptions(db, relyingParty, `set-up ${digest}`))
    return { publicUrl: publicUrl ?? null, passkey }
  })
}

/** If the owner exists, because an operator created the token, the owner gets another passkey and recovery code. */
export function completeSetUpRoute({ db, relyingParty }: SetUpDeps) {
  return serve(completeSetUp, async ({ body: { token, passkey }, request }) => {
    const origin = signInOrigin('set_up', request)
    const recoveryCode = createRecoveryCode()
    if (passkey) await loadWebAuthn()
    const session = await db.transaction().execute(async (trx) => {
      const digest = await useToken(trx, token)
      const known = await trx.selectFrom('owner').select('accountId').forUpdate().executeTakeFirst()
      const accountId = await lockOwnAccount(trx)
      const recovery = { recoveryDigest: recoveryDigest(recoveryCode), recoveryCreatedAt: sql<Date>`now()` }
      await trx
        .insertInto('owner')
        .values({ accountId, ...recovery })
        .onConflict((conflict) => conflict.column('singleton').doUpdateSet(recovery))
        .execute()
      const kind = known === undefined ? 'owner.created' : 'recovery_code.replaced'
      await recordEvent(trx, { accountId, kind, subjectId: accountId, details: {} }, origin)
      if (passkey) await storePasskey(trx, relyingParty, { passkey, ceremony: `set-up ${digest}`, accountId, origin })
      return await createSession(trx, accountId, origin)
    })
    return { session, recoveryCode }
  })
}
