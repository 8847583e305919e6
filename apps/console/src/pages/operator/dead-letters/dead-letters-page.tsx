import { useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { text } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { choicesOf, Field, SelectField } from '../../../ui/field.tsx'
import { submitted, typedIn } from '../../../ui/form-fields.tsx'
import { OperatorPage } from '../operator-page.tsx'
import { type KindName, kindNames, type LetterFilter, letterKinds } from './kinds.ts'
import { LetterList } from './letter-list.tsx'

export default function DeadLettersPage() {
  const t = text.value.operator
  const [location, navigate] = useLocation()
  const asked = new URLSearchParams(useSearch()).get('kind')
  const kind = kindNames.find((name) => name === asked) ?? 'files'
  const [filter, setFilter] = useState<LetterFilter>({})
  const show = (next: string) => {
    setFilter({})
    navigate(`${location}?kind=${next}`, { replace: true })
  }
  return (
    <OperatorPage lead={t.lettersLead}>
      <div class="filters">
        <SelectField label={t.kind} value={kind} choices={choicesOf<KindName>(kindNames, t.kinds)} onChange={show} />
      </div>
      <p class="hint operator-hint">{t.kindHints[kind]}</p>
      <LetterFilters key={kind} hasReason={letterKinds[kind].hasReason} onFilter={setFilter} />
      <LetterList key={`${kind} ${JSON.stringify(filter)}`} kind={kind} filter={filter} />
    </OperatorPage>
  )
}

const ages = ['3600', '86400', '604800'] as const

function LetterFilters({ hasReason, onFilter }: { hasReason: boolean; onFilter: (filter: LetterFilter) => void }) {
  const t = text.value.operator
  return (
    <form
      class="filters"
      onSubmit={submitted((fields) =>
        onFilter({
          reason: typedIn(fields, 'reason') || undefined,
          olderThanSeconds: Number(fields.get('age')) || undefined,
        }),
      )}
    >
      {hasReason && (
        <Field
          label={t.reason}
          name="reason"
          maxLength={64}
          placeholder={t.reasonHint}
          autocomplete="off"
          spellcheck={false}
        />
      )}
      <SelectField
        label={t.forLong}
        name="age"
        value=""
        choices={[{ value: '', label: t.anyTime }, ...choicesOf(ages, t.ages)]}
      />
      <Button type="submit" text={t.filter} />
    </form>
  )
}
