import type { Scope } from '@tideport/contracts/endpoint/scope'
import type { ByteBudgets } from '@tideport/contracts/internal/key-limits'
import type { KeyLimits } from '@tideport/contracts/public/api-keys'
import type { AuditEvent } from '@tideport/contracts/public/audit-event'
import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely'

interface AccountTable {
  id: string
  issuer: string
  subject: string
  createdAt: Generated<Date>
}

interface ApiKeyTable {
  id: string
  accountId: string
  name: string
  keyPrefix: string
  digest: Buffer
  /** The key that created this key. Null if it was created without a key. */
  parentId: string | null
  /** Null: full access. */
  scopes: Scope[] | null
  limits: ColumnType<KeyLimits | null, string | null | undefined, never>
  budgets: ColumnType<ByteBudgets, string | undefined, never>
  isSession: Generated<boolean>
  /** Null: the key has no credentials for the S3 API. */
  s3AccessKey: Generated<string | null>
  createdAt: Generated<Date>
  expiresInDays: number | null
  expiresAt: Date | null
  lastUsedAt: Generated<Date | null>
  revokedAt: Generated<Date | null>
}

interface AuditEventTable {
  id: string
  accountId: string
  /** Entries of other versions can have any kind and method. */
  kind: string
  subjectId: string
  at: Generated<Date>
  method: string
  keyId: string | null
  keyPrefix: string | null
  subject: string | null
  clientAddress: string | null
  requestId: string | null
  details: JSONColumnType<AuditEvent['details']>
}

interface OwnerTable {
  singleton: Generated<true>
  accountId: string
  recoveryDigest: Buffer
  recoveryCreatedAt: Generated<Date>
  createdAt: Generated<Date>
}

interface PasskeyTable {
  id: string
  credentialId: Buffer
  publicKey: Buffer
  counter: ColumnType<string, number, number>
  transports: string[]
  name: string
  createdAt: Generated<Date>
  lastUsedAt: Generated<Date | null>
}

interface SetUpTokenTable {
  singleton: Generated<true>
  digest: Buffer
  createdAt: Generated<Date>
  /** Null: a token of the log, which is valid while the installation has no account. */
  expiresAt: Date | null
}

interface UsedChallengeTable {
  id: string
  expiresAt: Date
}

export interface AuthDb {
  account: AccountTable
  apiKey: ApiKeyTable
  auditEvent: AuditEventTable
  owner: OwnerTable
  passkey: PasskeyTable
  setUpToken: SetUpTokenTable
  usedChallenge: UsedChallengeTable
}

export type AuditEventRow = Selectable<AuditEventTable>

export type ApiKeyRow = Omit<Selectable<ApiKeyTable>, 'digest' | 'budgets' | 'expiresInDays'>

/** The columns that the owner of a key may see. */
export const apiKeyColumns = [
  'id',
  'accountId',
  'name',
  'keyPrefix',
  'parentId',
  'scopes',
  'limits',
  'isSession',
  's3AccessKey',
  'createdAt',
  'expiresAt',
  'lastUsedAt',
  'revokedAt',
] as const satisfies (keyof ApiKeyRow)[]
