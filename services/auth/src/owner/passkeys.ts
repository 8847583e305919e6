import { randomBytes } from 'node:crypto'
import type { AuditKind, AuditOrigin } from '@tideport/contracts/public/audit-event'
import { type newPasskey, type passkeyCreation, passkeysMax } from '@tideport/contracts/public/passkeys'
import type { RelyingParty } from '@tideport/service-kit/http/relying-party'
import { isUniqueViolation } from '@tideport/service-kit/postgres/database-errors'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely, Selectable, Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { z } from 'zod'
import { recordEvent } from '../audit/record-event.ts'
import type { AuthDb } from '../tables.ts'
import { type Ceremony, challengeSeconds, issueChallenge, useChallenge } from './challenges.ts'
import { algorithms, passkeyRefused, verifyCreated } from './verify-passkey.ts'

export interface OwnerDeps {
  db: Kysely<AuthDb>
  /** Null if passkeys do not work at `PUBLIC_URL`. */
  relyingParty: RelyingParty | null
}

export function requirePasskeys(relyingParty: RelyingParty | null): RelyingParty {
  if (relyingParty !== null) return relyingParty
  throw new AppError(
    'not_found',
    'Passkeys do not work at this address. They need a PUBLIC_URL with a host name, and https except on localhost. Use the recovery code.',
  )
}

/** The user ID is random: a known one would replace the passkey of another installation on the same host name. */
export async function creationOptions(
  db: Kysely<AuthDb>,
  { id }: RelyingParty,
  ceremony: Ceremony,
): Promise<z.input<typeof passkeyCreation>> {
  const known = await db.selectFrom('passkey').select(['credentialId', 'transports']).execute()
  return {
    challenge: await issueChallenge(db, ceremony),
    rp: { id, name: 'Tideport' },
    user: { id: randomBytes(32).toString('base64url'), name: 'owner', displayName: `Tideport (${id})` },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: challengeSeconds * 1000,
    excludeCredentials: known.map(({ credentialId, transports }) => {
      return { type: 'public-key', id: credentialId.toString('base64url'), transports }
    }),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
  }
}

interface Added {
  passkey: z.output<typeof newPasskey>
  ceremony: Ceremony
  accountId: string
  origin: AuditOrigin
}

/** Verifies and stores a passkey. The account must be locked. */
export async function storePasskey(
  trx: Transaction<AuthDb>,
  relyingParty: RelyingParty | null,
  { passkey: { name, credential }, ceremony, accountId, origin }: Added,
) {
  const { credentialId, publicKey, counter } = await verifyCreated(credential, {
    relyingParty: requirePasskeys(relyingParty),
    useChallenge: (challenge) => useChallenge(trx, ceremony, challenge),
  })
  const { count } = await trx
    .selectFrom('passkey')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count >= passkeysMax) {
    throw new AppError('too_many_passkeys', `The owner can have at most ${passkeysMax} passkeys. Delete one first.`)
  }
  const row = await trx
    .insertInto('passkey')
    .values({ id: uuidv7(), name, credentialId, publicKey, counter, transports: credential.response.transports })
    .returning(passkeyColumns)
    .executeTakeFirstOrThrow()
    .catch((error) => {
      throw isUniqueViolation(error, 'passkey_credential') ? passkeyRefused('invalid', error) : error
    })
  await recordOf(trx, accountId, 'passkey.added', row, origin)
  return row
}

export const passkeyColumns = ['id', 'name', 'createdAt', 'lastUsedAt'] as const

export type PasskeyRow = Pick<Selectable<AuthDb['passkey']>, (typeof passkeyColumns)[number]>

export async function recordOf(
  trx: Transaction<AuthDb>,
  accountId: string,
  kind: AuditKind,
  { id, name }: PasskeyRow,
  origin: AuditOrigin,
) {
  await recordEvent(trx, { accountId, kind, subjectId: id, details: { name } }, origin)
}

export function toPasskey({ id, name, createdAt, lastUsedAt }: PasskeyRow) {
  return { id, name, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null }
}
