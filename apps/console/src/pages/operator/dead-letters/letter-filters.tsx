import { text } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { SelectField } from '../../../ui/select-field.tsx'
import type { LetterFilter } from './letter.ts'

const ages = [3_600, 86_400, 604_800] as const

interface LetterFiltersProps {
  hasReason: boolean
  onFilter: (filter: LetterFilter) => void
}

/** Narrows what is shown, and what is tried again when all of it is. */
export function LetterFilters({ hasReason, onFilter }: LetterFiltersProps) {
  const t = text.value.operator
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        const fields = new FormData(event.currentTarget)
        onFilter({
          reason: String(fields.get('reason') ?? '').trim() || undefined,
          olderThanSeconds: Number(fields.get('age')) || undefined,
        })
      }}
    >
      {hasReason && (
        <Field
          label={t.reason}
          input={{ name: 'reason', maxLength: 64, placeholder: t.reasonHint, autocomplete: 'off', spellcheck: false }}
        />
      )}
      <SelectField
        label={t.forLong}
        name="age"
        value=""
        choices={[{ value: '', label: t.anyTime }, ...ages.map((age) => ({ value: String(age), label: t.ages[age] }))]}
      />
      <Button type="submit">{t.filter}</Button>
    </form>
  )
}
