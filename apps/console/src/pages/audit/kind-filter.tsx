import type { AccountEvent } from '@tideport/sdk'
import { text } from '../../text/text.ts'
import { SelectField } from '../../ui/select-field.tsx'

/** What the log of an account tells of (docs/api.md). */
export const accountKinds = [
  'account.created',
  'key.created',
  'key.revoked',
  'key.rotated',
  'key.shortened',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.disabled',
  'webhook.secret_rotated',
] as const satisfies readonly AccountEvent['kind'][]

/** The usual ones of files and vaults; there may be more. */
export const fileKinds = [
  'file.hot',
  'file.synced',
  'file.cold',
  'file.error',
  'file.changed',
  'file.deleted',
  'file.restored',
  'file.purged',
  'file.copied',
  'file.copy_lost',
  'file.lease_expiring',
  'link.created',
  'link.revoked',
  'vault.created',
  'vault.changed',
  'vault.deleted',
  'vault.restored',
  'vault.purged',
] as const

interface KindFilterProps<Kind extends string> {
  kinds: readonly Kind[]
  value: string | undefined
  onChange: (kind: Kind | undefined) => void
}

export function KindFilter<Kind extends string>({ kinds, value = '', onChange }: KindFilterProps<Kind>) {
  const t = text.value.audit
  return (
    <SelectField
      label={t.kind}
      value={value}
      choices={[{ value: '', label: t.anything }, ...kinds.map((kind) => ({ value: kind, label: kind }))]}
      onChange={(kind) => onChange((kind || undefined) as Kind | undefined)}
    />
  )
}
