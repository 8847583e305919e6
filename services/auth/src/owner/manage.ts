import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import {
  addPasskey,
  beginPasskey,
  deletePasskey,
  listPasskeys,
  renamePasskey,
  replaceRecoveryCode,
} from '@tideport/contracts/public/passkeys'
import { auditOriginOf } from '@tideport/service-kit/http/audit-origin'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, type Selectable, sql } from 'kysely'
import { recordEvent } from '../audit/record-event.ts'
import { holdAccount } from '../keys/limits.ts'
import { isSession } from '../keys/sessions.ts'
import type { AuthDb } from '../tables.ts'
import {
  creationOptions,
  type OwnerDeps,
  passkeyColumns,
  recordOf,
  requirePasskeys,
  storePasskey,
  toPasskey,
} from './passkeys.ts'
import { createRecoveryCode, recoveryDigest } from './recovery-code.ts'
import { loadWebAuthn } from './verify-passkey.ts'

/** The owner of this session. Other keys of the account are refused, because they could then outlive their revocation. */
async function ownerOf(db: Kysely<AuthDb>, { accountId, keyId }: AccountPrincipal): Promise<Owner & { keyId: string }> {
  const owner = await db.selectFrom('owner').selectAll().where('accountId', '=', accountId).executeTakeFirst()
  if (owner === undefined || keyId === undefined || !(await isSession(db, keyId))) {
    throw new AppError(
      'insufficient_scope',
      'Only the owner of the installation can do this. Sign in with a passkey or the recovery code.',
      {
        details: { requiredScope: null },
      },
    )
  }
  return { ...owner, keyId }
}

type Owner = Selectable<AuthDb['owner']>

export function manageRoutes({ db, relyingParty }: OwnerDeps) {
  return {
    listPasskeys: serve(listPasskeys, async ({ principal }) => {
      const { recoveryCreatedAt } = await ownerOf(db, principal)
      const rows = await db.selectFrom('passkey').select(passkeyColumns).orderBy('id').execute()
      return { passkeys: rows.map(toPasskey), recoveryCodeCreatedAt: recoveryCreatedAt.toISOString() }
    }),
    beginPasskey: serve(beginPasskey, async ({ principal }) => {
      const { keyId } = await ownerOf(db, principal)
      return await creationOptions(db, requirePasskeys(relyingParty), `session ${keyId}`)
    }),
    addPasskey: serve(addPasskey, async ({ principal, body, request }) => {
      const { accountId, keyId } = await ownerOf(db, principal)
      const origin = auditOriginOf({ principal, request })
      await loadWebAuthn()
      const row = await db.transaction().execute(async (trx) => {
        await holdAccount(trx, accountId)
        return await storePasskey(trx, relyingParty, { passkey: body, ceremony: `session ${keyId}`, accountId, origin })
      })
      return toPasskey(row)
    }),
    renamePasskey: serve(renamePasskey, async ({ principal, params, body: { name }, request }) => {
      const { accountId } = await ownerOf(db, principal)
      const row = await db.transaction().execute(async (trx) => {
        const row = await trx
          .updateTable('passkey')
          .set({ name })
          .where('id', '=', params.passkeyId)
          .returning(passkeyColumns)
          .executeTakeFirstOrThrow(() => notFound())
        await recordOf(trx, accountId, 'passkey.renamed', row, auditOriginOf({ principal, request }))
        return row
      })
      return toPasskey(row)
    }),
    deletePasskey: serve(deletePasskey, async ({ principal, params, request }) => {
      const { accountId } = await ownerOf(db, principal)
      const row = await db.transaction().execute(async (trx) => {
        const row = await trx
          .deleteFrom('passkey')
          .where('id', '=', params.passkeyId)
          .returning(passkeyColumns)
          .executeTakeFirstOrThrow(() => notFound())
        await recordOf(trx, accountId, 'passkey.deleted', row, auditOriginOf({ principal, request }))
        return row
      })
      return toPasskey(row)
    }),
    replaceRecoveryCode: serve(replaceRecoveryCode, async ({ principal, request }) => {
      const { accountId } = await ownerOf(db, principal)
      const recoveryCode = createRecoveryCode()
      await db.transaction().execute(async (trx) => {
        const replaced = { recoveryDigest: recoveryDigest(recoveryCode), recoveryCreatedAt: sql<Date>`now()` }
        await trx.updateTable('owner').set(replaced).execute()
        const entry = { accountId, kind: 'recovery_code.replaced', subjectId: accountId, details: {} } as const
        await recordEvent(trx, entry, auditOriginOf({ principal, request }))
      })
      return { recoveryCode }
    }),
  }
}
