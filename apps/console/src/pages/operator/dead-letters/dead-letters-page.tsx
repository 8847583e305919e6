import { useSignal } from '@preact/signals'
import { useLocation, useSearch } from 'wouter-preact'
import { text } from '../../../text/text.ts'
import { SelectField } from '../../../ui/select-field.tsx'
import { OperatorPage } from '../operator-page.tsx'
import { type KindName, kindNames, letterKinds } from './kinds.ts'
import type { LetterFilter } from './letter.ts'
import { LetterFilters } from './letter-filters.tsx'
import { LetterList } from './letter-list.tsx'

/** What was given up, kind by kind, to be looked at and tried again. */
export default function DeadLettersPage() {
  const t = text.value.operator
  const [location, navigate] = useLocation()
  const asked = new URLSearchParams(useSearch()).get('kind')
  const kind = kindNames.find((name) => name === asked) ?? 'files'
  const filter = useSignal<LetterFilter>({})
  const show = (next: KindName) => {
    filter.value = {}
    navigate(`${location}?kind=${next}`, { replace: true })
  }
  return (
    <OperatorPage lead={t.lettersLead}>
      <div class="filters">
        <SelectField
          label={t.kind}
          value={kind}
          choices={kindNames.map((value) => ({ value, label: t.kinds[value] }))}
          onChange={(value) => show(value as KindName)}
        />
      </div>
      <p class="hint operator-hint">{t.kindHints[kind]}</p>
      <LetterFilters
        key={kind}
        hasReason={letterKinds[kind].hasReason}
        onFilter={(next) => {
          filter.value = next
        }}
      />
      <LetterList key={`${kind} ${JSON.stringify(filter.value)}`} kind={kind} filter={filter.value} />
    </OperatorPage>
  )
}
