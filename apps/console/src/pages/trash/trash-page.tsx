import { useSignal } from '@preact/signals'
import type { TrashedFile } from '@tideport/sdk'
import { useCommands } from '../../commands/commands.ts'
import { bytes, date } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/failure.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { useSelection } from '../../ui/selection.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { Cell, VirtualGrid } from '../../ui/virtual-grid.tsx'
import { useDeleteForEver, useEmptyTrash, useRestore, useTrash } from './trash-queries.ts'

export default function TrashPage() {
  const t = text.value.files
  const { items: files, list, see } = useTrash()
  const { data, error, isFetching, refetch, hasNextPage, isFetchNextPageError, fetchNextPage } = list
  const selection = useSelection(files, ({ id }) => id, 'trash')
  const dialog = useSignal<'delete' | 'empty' | null>(null)
  const close = () => {
    dialog.value = null
  }
  return (
    <>
      <PageHead title={t.trashTitle} lead={t.trashLead}>
        {files.length > 0 && (
          <Button
            onClick={() => {
              dialog.value = 'empty'
            }}
          >
            {t.emptyTrash}
          </Button>
        )}
      </PageHead>
      <TrashBar
        chosen={selection.entries}
        onDelete={() => {
          dialog.value = 'delete'
        }}
        onDone={selection.clear}
      />
      {data === undefined && error === null && <Spinner />}
      {data === undefined && error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && files.length === 0 && !hasNextPage && (
        <Empty title={t.trashEmpty} text={t.trashEmptyText} />
      )}
      {(files.length > 0 || hasNextPage) && (
        <VirtualGrid
          label={t.trashTitle}
          columns={[t.select(''), t.name, t.size, t.state, t.removedOn]}
          count={files.length}
          hasMore={hasNextPage}
          onNearMore={() => {
            if (!isFetching && !isFetchNextPageError) void fetchNextPage()
          }}
          onSight={(first, last) => see(files.slice(first, last))}
          keyOf={(index) => (files[index] as TrashedFile).id}
          isSelected={(index) => selection.has(files[index] as TrashedFile)}
          onToggle={selection.toggle}
          onOpen={(index) => selection.toggle(index, false)}
          row={(index) => (
            <TrashCells
              file={files[index] as TrashedFile}
              isSelected={selection.has(files[index] as TrashedFile)}
              onToggle={(toHere) => selection.toggle(index, toHere)}
            />
          )}
        />
      )}
      {isFetchNextPageError && <Failure error={error} onRetry={() => void fetchNextPage()} />}
      {dialog.value === 'empty' && <EmptyDialog onClose={close} />}
      {dialog.value === 'delete' && (
        <DeleteDialog
          files={selection.entries}
          onClose={() => {
            close()
            selection.clear()
          }}
        />
      )}
    </>
  )
}

interface TrashBarProps {
  chosen: readonly TrashedFile[]
  onDelete: () => void
  onDone: () => void
}

function TrashBar({ chosen, onDelete, onDone }: TrashBarProps) {
  const t = text.value.files
  const { mutate, isPending } = useRestore()
  const restore = () => {
    mutate(chosen)
    onDone()
  }
  const isShown = chosen.length > 0
  useCommands(
    isShown
      ? [
          { label: t.restore, key: 'r', run: restore },
          { label: t.delete, key: '#', run: onDelete },
          { label: t.clear, key: 'Escape', run: onDone },
        ]
      : [],
  )
  return (
    <div class="selection-bar" data-shown={isShown}>
      <strong role="status">{isShown ? t.selected(chosen.length) : ''}</strong>
      {isShown && (
        <>
          <Button keys="r" busy={isPending} onClick={restore}>
            {t.restore}
          </Button>
          <Button keys="#" onClick={onDelete}>
            {t.delete}
          </Button>
          <Button onClick={onDone}>{t.clear}</Button>
        </>
      )}
    </div>
  )
}

interface TrashCellsProps {
  file: TrashedFile
  isSelected: boolean
  onToggle: (toHere: boolean) => void
}

function TrashCells({ file, isSelected, onToggle }: TrashCellsProps) {
  const t = text.value.files
  return (
    <>
      <Cell>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={t.select(file.name)}
          checked={isSelected}
          onClick={(event) => onToggle(event.shiftKey)}
        />
      </Cell>
      <Cell>{file.path}</Cell>
      <Cell>{bytes(file.plaintextSizeBytes ?? file.sizeBytes)}</Cell>
      <Cell>{t.states[file.status]}</Cell>
      <Cell>{file.purgeDueAt === null ? '' : date(file.purgeDueAt)}</Cell>
    </>
  )
}

function EmptyDialog({ onClose }: { onClose: () => void }) {
  const t = text.value.files
  const { mutate, isPending, error } = useEmptyTrash(onClose)
  return (
    <FormDialog
      title={t.emptyTrash}
      submit={t.emptyTrash}
      danger
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={() => mutate()}
    >
      <p>{t.emptyTrashText}</p>
    </FormDialog>
  )
}

function DeleteDialog({ files, onClose }: { files: readonly TrashedFile[]; onClose: () => void }) {
  const t = text.value.files
  const { mutate, isPending, error } = useDeleteForEver(onClose)
  return (
    <FormDialog
      title={t.delete}
      submit={t.delete}
      danger
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={() => mutate(files)}
    >
      <p>{t.deleteText}</p>
    </FormDialog>
  )
}
