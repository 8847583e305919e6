import type { CreateApiKeyInput } from '@tideport/sdk'
import { linesIn } from '../../ui/text-field.tsx'

export type NewKey = CreateApiKeyInput
type Scope = NonNullable<NewKey['scopes']>[number]
export type Verb = NonNullable<NonNullable<NewKey['limits']>['verbs']>[number]

/** What a key may be restricted to (docs/api.md): all of it, or it does not compile. */
export const scopes = Object.keys({
  'vaults:read': true,
  'vaults:write': true,
  'files:read': true,
  'files:write': true,
  'links:read': true,
  'links:write': true,
  'webhooks:read': true,
  'webhooks:write': true,
  'keys:read': true,
  'keys:write': true,
  'account:read': true,
} satisfies Record<Scope, true>) as Scope[]

export const verbs = Object.keys({ read: true, upload: true, change: true, delete: true, share: true } satisfies Record<
  Verb,
  true
>) as Verb[]

const megabyte = 1_000_000

/** The key that somebody described, by fields that have the API's names; what was left empty is no limit. */
export function readNewKey(fields: FormData): NewKey {
  const days = String(fields.get('expiresInDays') ?? '')
  const megabytes = String(fields.get('bytesPerDay') ?? '')
  const limits = {
    vaultIds: chosen(fields, 'vaultIds'),
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
