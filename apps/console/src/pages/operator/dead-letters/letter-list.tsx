import { usePages } from '../../../api/use-pages.ts'
import { useCommands } from '../../../commands/commands.ts'
import { dateTime } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { isolatedFacts } from '../../../ui/facts.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { Row } from '../../../ui/row.tsx'
import { useSelection } from '../../../ui/selection.ts'
import { useDialog } from '../../../ui/use-dialog.tsx'
import { type KindName, type Letter, type LetterFilter, letterKinds } from './kinds.ts'
import { RedriveDialog } from './redrive-dialog.tsx'
import { changes, type Redriven } from './use-redrive.ts'

export function LetterList({ kind, filter }: { kind: KindName; filter: LetterFilter }) {
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
