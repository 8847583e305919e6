import { useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { usePages } from '../../../api/use-pages.ts'
import { useCommands } from '../../../commands/commands.ts'
import { dateTime } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { isolatedFacts } from '../../../ui/facts.tsx'
import { choicesOf, Field, SelectField } from '../../../ui/field.tsx'
import { submitted, typedIn } from '../../../ui/form-fields.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { Row } from '../../../ui/row.tsx'
import { useSelection } from '../../../ui/selection.ts'
import { useDialog } from '../../../ui/use-dialog.tsx'
import { OperatorPage } from '../operator-page.tsx'
import { type KindName, kindNames, type Letter, type LetterFilter, letterKinds } from './kinds.ts'
import { changes, RedriveDialog, type Redriven } from './redrive-dialog.tsx'

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

function LetterList({ kind, filter }: { kind: KindName; filter: LetterFilter }) {
  const { app, operator: t } = text.value
  const { read, redrive } = letterKinds[kind]
  const pages = usePages([...changes, kind, filter], read(filter), { keyOf: ({ key }) => key })
  const letters = pages.items
  const selection = useSelection(letters, ({ key }) => key, kind)
  const { dialog, ask } = useDialog()
  const canRetry = redrive !== undefined
  const chosen = [...new Set(selection.entries.map(({ id }) => id))]
  const retry = (redriven: Redriven) =>
    ask((close) => <RedriveDialog kind={kind} redriven={redriven} onClose={close} />, selection.clear)
  const retryChosen = () => retry({ ids: chosen })
  useCommands(canRetry && chosen.length > 0 ? [{ label: app.retry, key: 'r', run: retryChosen }] : [])
  return (
    <>
      {canRetry && letters.length > 0 && (
        <div class="selection-bar" data-shown="true">
          <strong role="status">{chosen.length > 0 ? text.value.files.selected(selection.entries.length) : ''}</strong>
          {selection.entries.length < letters.length && (
            <Button onClick={() => selection.all(false)} text={t.selectAll} />
          )}
          {chosen.length > 0 ? (
            <>
              <Button onClick={selection.clear} text={t.clear} />
              <Button look="main" keys="r" onClick={retryChosen} text={app.retry} />
            </>
          ) : (
            <Button onClick={() => retry({ filter })} text={t.redriveAll} />
          )}
        </div>
      )}
      <Listing label={t.kinds[kind]} pages={pages} empty={{ title: t.noLetters, text: t.noLettersText }}>
        {(letter) => (
          <LetterRow
            key={letter.key}
            letter={letter}
            isSelected={selection.has(letter)}
            onToggle={canRetry ? (toHere) => selection.toggle(letters.indexOf(letter), toHere) : null}
          />
        )}
      </Listing>
      {dialog}
    </>
  )
}

interface LetterRowProps {
  letter: Letter
  isSelected: boolean
  /** Null: the row cannot be selected. */
  onToggle: ((toHere: boolean) => void) | null
}

function LetterRow({ letter: { id, reason, since, facts }, isSelected, onToggle }: LetterRowProps) {
  const t = text.value.operator
  const title = (
    <span class="operator-letter">
      {onToggle !== null && (
        <input
          type="checkbox"
          aria-label={t.select(id)}
          checked={isSelected}
          onClick={(event) => onToggle(event.shiftKey)}
        />
      )}
      <bdi>{reason ?? t.noReason}</bdi>
    </span>
  )
  return <Row title={title} facts={[[t.since, since && dateTime(since)], ...isolatedFacts(facts)]} />
}
