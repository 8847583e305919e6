import { text } from '../../text/text.ts'
import { Field } from '../../ui/field.tsx'

/** From when and until when, in the reader's own zone. */
export function TimeFilter({ onChange }: { onChange: (times: { after?: string; before?: string }) => void }) {
  const t = text.value.audit
  return (
    <>
      {(['after', 'before'] as const).map((name) => (
        <Field
          key={name}
          label={t[name]}
          input={{
            type: 'datetime-local',
            max: '9999-12-31T23:59',
            onChange: ({ currentTarget: { value } }) => onChange({ [name]: instantOf(value) }),
          }}
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
