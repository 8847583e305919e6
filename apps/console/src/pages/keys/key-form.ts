import type { CreateApiKeyInput } from '@tideport/sdk'
import { linesIn } from '../../ui/lines-field.tsx'

export type NewKey = CreateApiKeyInput
type Scope = NonNullable<NewKey['scopes']>[number]
export type Verb = NonNullable<NonNullable<NewKey['limits']>['verbs']>[number]

/** What a key may be restricted to (docs/api.md). */
export const scopes = [
  'vaults:read',
  'vaults:write',
  'files:read',
  'files:write',
  'links:read',
  'links:write',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'keys:write',
  'account:read',
] as const satisfies readonly Scope[]

export const verbs = ['read', 'upload', 'change', 'delete', 'share'] as const satisfies readonly Verb[]

const megabyte = 1_000_000

/** The key that somebody described; what was left empty is no limit. */
export function readNewKey(fields: FormData): NewKey {
  const days = String(fields.get('days') ?? '')
  const megabytes = String(fields.get('megabytes') ?? '')
  const limits = {
    vaultIds: chosen(fields, 'vaults'),
    prefixes: linesIn(fields, 'prefixes'),
    verbs: chosen(fields, 'verbs') as Verb[] | null,
    bytesPerDay: megabytes === '' ? null : Number(megabytes) * megabyte,
    addresses: linesIn(fields, 'addresses'),
  }
  return {
    name: String(fields.get('name')),
    expiresInDays: days === '' ? null : Number(days),
    scopes: chosen(fields, 'scopes') as Scope[] | null,
    limits: Object.values(limits).every((limit) => limit === null) ? null : limits,
  }
}

function chosen(fields: FormData, name: string): string[] | null {
  const values = fields.getAll(name).map(String)
  return values.length === 0 ? null : values
}
