import { useSignal } from '@preact/signals'
import { useCommands } from '../../../commands/commands.ts'
import { text } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { useSelection } from '../../../ui/selection.ts'
import { type KindName, letterKinds } from './kinds.ts'
import type { LetterFilter } from './letter.ts'
import { useLetters } from './letter-queries.ts'
import { LetterRow } from './letter-row.tsx'
import { RedriveDialog } from './redrive-dialog.tsx'
import type { Redriven } from './use-redrive.ts'

/** What was given up of a kind, some of it chosen. */
export function LetterList({ kind, filter }: { kind: KindName; filter: LetterFilter }) {
  const t = text.value.operator
  const pages = useLetters(kind, filter)
  const letters = pages.items
  const selection = useSelection(letters, ({ key }) => key, kind)
  const trying = useSignal<Redriven | null>(null)
  const canTry = letterKinds[kind].redrive !== undefined
  const chosen = [...new Set(selection.entries.map(({ id }) => id))]
  const tryChosen = () => {
    trying.value = { ids: chosen }
  }
  const tryAll = () => {
    trying.value = { filter }
  }
  useCommands(canTry && chosen.length > 0 ? [{ label: t.redrive, key: 'r', run: tryChosen }] : [])
  return (
    <>
      {canTry && letters.length > 0 && (
        <div class="selection-bar" data-shown="true">
          <strong role="status">{chosen.length > 0 ? t.selected(selection.entries.length) : ''}</strong>
          {selection.entries.length < letters.length && (
            <Button onClick={() => selection.all(false)}>{t.selectAll}</Button>
          )}
          {chosen.length > 0 ? (
            <>
              <Button onClick={selection.clear}>{t.clear}</Button>
              <Button look="main" keys="r" onClick={tryChosen}>
                {t.redrive}
              </Button>
            </>
          ) : (
            <Button onClick={tryAll}>{t.redriveAll}</Button>
          )}
        </div>
      )}
      <Listing label={t.kinds[kind]} pages={pages} empty={{ title: t.noLetters, text: t.noLettersText }}>
        {(letter) => (
          <LetterRow
            key={letter.key}
            letter={letter}
            {...(canTry && {
              isSelected: selection.has(letter),
              onToggle: (toHere) => selection.toggle(letters.indexOf(letter), toHere),
            })}
          />
        )}
      </Listing>
      {trying.value !== null && (
        <RedriveDialog
          kind={kind}
          redriven={trying.value}
          onClose={() => {
            trying.value = null
            selection.clear()
          }}
        />
      )}
    </>
  )
}
