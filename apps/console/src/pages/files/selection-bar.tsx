import type { Signal } from '@preact/signals'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import type { Selection } from '../../ui/selection.ts'
import { trashEntries } from './change-files.ts'
import type { Entry } from './entries.ts'
import type { OpenDialog } from './file-dialogs.tsx'

interface SelectionBarProps {
  vaultId: string
  selection: Selection<Entry>
  open: Signal<OpenDialog | null>
}

/** What can be done with all that is chosen. */
export function SelectionBar({ vaultId, selection, open }: SelectionBarProps) {
  const t = text.value.files
  const { entries } = selection
  const [first] = entries
  const show = (dialog: OpenDialog) => () => {
    open.value = dialog
  }
  const trash = () => {
    selection.clear()
    void trashEntries(vaultId, entries)
  }
  useCommands([
    { label: t.selectAll, key: 'a', run: selection.all },
    ...(first === undefined
      ? []
      : [
          { label: t.move, key: 'm', run: show({ dialog: 'move', entries }) },
          { label: t.copy, key: 'c', run: show({ dialog: 'copy', entries }) },
          { label: t.trash, key: '#', run: trash },
          { label: t.clear, key: 'Escape', run: selection.clear },
        ]),
  ])
  return (
    <div class="selection-bar" data-shown={first !== undefined}>
      <strong role="status">{first === undefined ? '' : t.selected(entries.length)}</strong>
      {first !== undefined && (
        <>
          {entries.length === 1 && <Button onClick={show({ dialog: 'rename', entry: first })}>{t.rename}</Button>}
          <Button keys="m" onClick={show({ dialog: 'move', entries })}>
            {t.move}
          </Button>
          <Button keys="c" onClick={show({ dialog: 'copy', entries })}>
            {t.copy}
          </Button>
          <Button keys="#" onClick={trash}>
            {t.trash}
          </Button>
          <Button onClick={show({ dialog: 'delete', entries })}>{t.delete}</Button>
          <Button onClick={selection.all}>{t.selectAll}</Button>
          <Button onClick={selection.clear}>{t.clear}</Button>
        </>
      )}
    </div>
  )
}
