import type { AccountEvent } from '@tideport/sdk'
import { text } from '../../text/text.ts'
import { asChoices, Field, SelectField } from '../../ui/field.tsx'
import { eventTypes } from '../webhooks/webhook.ts'

export const auditTabs = () => ({ '/audit': text.value.audit.account, '/audit/files': text.value.audit.files })

/** What the log of an account tells of (docs/api.md): all of it, or it does not compile. */
export const accountKinds = Object.keys({
  'account.created': true,
  'key.created': true,
  'key.revoked': true,
  'key.rotated': true,
  'key.shortened': true,
  'webhook.created': true,
  'webhook.changed': true,
  'webhook.deleted': true,
  'webhook.disabled': true,
  'webhook.secret_rotated': true,
} satisfies Record<AccountEvent['kind'], true>) as AccountEvent['kind'][]

/** What webhooks are told of, and what only the log has of files and vaults; there may be more. */
export const fileKinds = [
  ...eventTypes,
  'file.changed',
  'file.published',
  'link.created',
  'link.revoked',
  'vault.changed',
  'vault.purged',
  'account.export_started',
  'job.cancelled',
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
      choices={[{ value: '', label: t.anything }, ...asChoices(kinds)]}
      onChange={(kind) => onChange((kind || undefined) as Kind | undefined)}
    />
  )
}

/** From when and until when, in the reader's own zone. */
export function TimeFilter({ onChange }: { onChange: (times: { after?: string; before?: string }) => void }) {
  const t = text.value.audit
  return (
    <>
      {(['after', 'before'] as const).map((name) => (
        <Field
          key={name}
          label={t[name]}
          type="datetime-local"
          max="9999-12-31T23:59"
          onChange={({ currentTarget: { value } }) => onChange({ [name]: instantOf(value) })}
        />
      ))}
    </>
  )
}

/** Undefined for what is no time, or none yet. */
function instantOf(local: string): string | undefined {
  const time = Date.parse(local)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
