import { toastError } from '../../api/toasts.ts'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import type { Selection } from '../../ui/selection.ts'
import { CommandButton } from '../resource/command-button.tsx'
import { publishEntries, trashEntries } from './change-files.ts'
import type { Entry } from './entries.ts'
import type { FileQuestion } from './file-forms.tsx'

interface SelectionBarProps {
  vaultId: string
  /** The folder whose entries can all be selected, including those that are not loaded; null: only loaded ones. */
  folder: string | null
  selection: Selection<Entry>
  ask: (question: FileQuestion) => void
}

export function SelectionBar({ vaultId, folder, selection, ask }: SelectionBarProps) {
  const { app, files: t } = text.value
  const isWhole = selection.isWhole && folder !== null
  const entries: readonly Entry[] = isWhole ? [wholeOf(folder)] : selection.entries
  const [first] = entries
  const isReview = selection.entries.some((entry) => entry.kind === 'file' && entry.file.awaitingReview)
  const all = () => selection.all(folder !== null)
  const allLabel = folder === null ? t.selectAll : t.selectWhole
  const run = (change: typeof trashEntries) => () => {
    selection.clear()
    change(vaultId, entries).catch(toastError)
  }
  useCommands([
    { label: allLabel, key: 'a', run: all },
    ...(first === undefined ? [] : [{ label: t.clear, key: 'Escape', run: selection.clear }]),
  ])
  return (
    <div class="selection-bar" data-shown={first !== undefined}>
      <strong role="status">{first === undefined ? '' : isWhole ? first.name : t.selected(entries.length)}</strong>
      {first !== undefined && (
        <>
          {entries.length === 1 && !isWhole && (
            <Button onClick={() => ask({ dialog: 'rename', entry: first })} text={t.rename} />
          )}
          {isReview && <Button onClick={run(publishEntries)} text={app.publish} />}
          <CommandButton keys="m" label={t.move} run={() => ask({ dialog: 'move', entries })} />
          <CommandButton keys="c" label={t.copy} run={() => ask({ dialog: 'copy', entries })} />
          <CommandButton keys="#" label={app.trash} run={run(trashEntries)} />
          {/* The API cannot delete all files of a vault permanently. */}
          {!(isWhole && folder === '') && <Button onClick={() => ask({ dialog: 'delete', entries })} text={t.delete} />}
          {!isWhole && <Button keys="a" onClick={all} text={allLabel} />}
          <Button onClick={selection.clear} text={t.clear} />
        </>
      )}
    </div>
  )
}

const wholeOf = (folder: string): Entry => ({ kind: 'whole', key: 'whole', name: text.value.files.whole, path: folder })
