import { text } from '../../text/text.ts'
import { asChoices, Field, SelectField } from '../../ui/field.tsx'

export const auditTabs = () => ({ '/audit': text.value.app.account, '/audit/files': text.value.audit.files })

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

function instantOf(local: string): string | undefined {
  const time = Date.parse(local)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
