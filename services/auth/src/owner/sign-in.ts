import { beginPasskeySignIn, signInWithPasskey, signInWithRecoveryCode } from '@tideport/contracts/public/sign-in'
import { serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import { sql } from 'kysely'
import { holdAccount } from '../keys/limits.ts'
import { createSession, signInOrigin } from '../keys/sessions.ts'
import { challengeSeconds, issueChallenge, useChallenge } from './challenges.ts'
import { type OwnerDeps, requirePasskeys } from './passkeys.ts'
import { createRecoveryCode, recoveryDigest } from './recovery-code.ts'
import { loadWebAuthn, passkeyRefused, verifySignature } from './verify-passkey.ts'

/** Names no passkey, so the response does not reveal whether an owner exists. The browser offers those it has. */
export function beginPasskeySignInRoute({ db, relyingParty }: OwnerDeps) {
  return serve(beginPasskeySignIn, async () => {
    const { id } = requirePasskeys(relyingParty)
    const challenge = await issueChallenge(db, 'sign-in')
    return { challenge, rpId: id, timeout: challengeSeconds * 1000, userVerification: 'required' } as const
  })
}

export function signInWithPasskeyRoute({ db, relyingParty }: OwnerDeps) {
  return serve(signInWithPasskey, async ({ body: { credential }, request }) => {
    const ours = requirePasskeys(relyingParty)
    await loadWebAuthn()
    const credentialId = Buffer.from(credential.id, 'base64url')
    const session = await db.transaction().execute(async (trx) => {
      // Locks the passkey: two sign-ins with one counter value must not both succeed.
      const passkey = await trx
        .selectFrom('passkey')
        .select(['id', 'publicKey', 'counter'])
        .where('credentialId', '=', credentialId)
        .forUpdate()
        .executeTakeFirst()
      if (passkey === undefined) throw passkeyRefused('unknown')
      const known = { publicKey: passkey.publicKey, counter: Number(passkey.counter) }
      const counter = await verifySignature(credential, known, {
        relyingParty: ours,
        useChallenge: (challenge) => useChallenge(trx, 'sign-in', challenge),
      })
      await trx
        .updateTable('passkey')
        .set({ counter, lastUsedAt: sql<Date>`now()` })
        .where('id', '=', passkey.id)
        .execute()
      const { accountId } = await trx.selectFrom('owner').select('accountId').executeTakeFirstOrThrow()
      await holdAccount(trx, accountId)
      return await createSession(trx, accountId, signInOrigin('passkey', request))
    })
    return { session }
  })
}

/** Of several requests with the same code, one succeeds. */
export function signInWithRecoveryCodeRoute({ db }: OwnerDeps) {
  return serve(signInWithRecoveryCode, async ({ body, request }) => {
    const recoveryCode = createRecoveryCode()
    const session = await db.transaction().execute(async (trx) => {
      const owner = await trx
        .updateTable('owner')
        .set({ recoveryDigest: recoveryDigest(recoveryCode), recoveryCreatedAt: sql<Date>`now()` })
        .where('recoveryDigest', '=', recoveryDigest(body.recoveryCode))
        .returning('accountId')
        .executeTakeFirst()
      if (owner === undefined) {
        throw new AppError('wrong_recovery_code', 'The recovery code is wrong or was used. Each sign-in replaces it.')
      }
      await holdAccount(trx, owner.accountId)
      return await createSession(trx, owner.accountId, signInOrigin('recovery_code', request))
    })
    return { session, recoveryCode }
  })
}
