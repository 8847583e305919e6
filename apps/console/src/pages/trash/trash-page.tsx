import { useMutation } from '@tanstack/preact-query'
import { deleteFile, emptyTrash, listTrash, restoreFile, type TrashedFile } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { toast } from '../../api/toasts.ts'
import { usePages } from '../../api/use-pages.ts'
import { useCommands } from '../../commands/commands.ts'
import { bytes, date } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Failure, Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { useSelection } from '../../ui/selection.ts'
import { type Asked, useDialog } from '../../ui/use-dialog.tsx'
import { Cell, VirtualGrid } from '../../ui/virtual-grid.tsx'
import { CommandButton } from '../resource/command-button.tsx'
import { readList } from '../resource/read-list.ts'

export default function TrashPage() {
  const { app, files: t } = text.value
  const { items: files, list, see } = usePages(['trash'], readList('files', listTrash, { limit: 100 }))
  const { error, isFetching, hasNextPage, isFetchNextPageError, fetchNextPage } = list
  const selection = useSelection(files, ({ id }) => id, 'trash')
  const { dialog, ask } = useDialog()
  const remove = () => ask(deletionForm(selection.entries), selection.clear)
  return (
    <>
      <PageHead title={text.value.nav.trash} lead={t.trashLead}>
        {files.length > 0 && <Button onClick={() => ask(emptyForm())} text={t.emptyTrash} />}
      </PageHead>
      <TrashBar chosen={selection.entries} onDelete={remove} onDone={selection.clear} />
      <Loaded query={list}>
        {() =>
          files.length === 0 && !hasNextPage ? (
            <Empty title={t.trashEmpty} text={t.trashEmptyText} />
          ) : (
            <VirtualGrid
              label={text.value.nav.trash}
              columns={[app.label, app.size, app.state, t.removedOn]}
              items={files}
              keyOf={({ id }) => id}
              nameOf={({ name }) => name}
              selection={selection}
              hasMore={hasNextPage}
              onNearMore={() => {
                if (!isFetching && !isFetchNextPageError) void fetchNextPage()
              }}
              onSight={(first, last) => see(files.slice(first, last))}
              onOpen={(_, index) => selection.toggle(index, false)}
              row={trashCells}
            />
          )
        }
      </Loaded>
      {isFetchNextPageError && <Failure error={error} onRetry={() => void fetchNextPage()} />}
      {dialog}
    </>
  )
}

const trashCells = (file: TrashedFile) => (
  <>
    <Cell>{file.path}</Cell>
    <Cell>{bytes(file.plaintextSizeBytes ?? file.sizeBytes)}</Cell>
    <Cell>{text.value.files.states[file.status]}</Cell>
    <Cell>{file.purgeDueAt === null ? '' : date(file.purgeDueAt)}</Cell>
  </>
)

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
  useCommands(isShown ? [{ label: t.clear, key: 'Escape', run: onDone }] : [])
  return (
    <div class="selection-bar" data-shown={isShown}>
      <strong role="status">{isShown ? t.selected(chosen.length) : ''}</strong>
      {isShown && (
        <>
          <CommandButton keys="r" label={t.restore} busy={isPending} run={restore} />
          <CommandButton keys="#" label={t.delete} run={onDelete} />
          <Button onClick={onDone} text={t.clear} />
        </>
      )}
    </div>
  )
}

const concurrency = 6

/** Marks all queries of files and vaults as stale, also after a failure. */
async function each(files: readonly TrashedFile[], work: (file: TrashedFile) => Promise<unknown>): Promise<void> {
  const left = files.values()
  const worker = async () => {
    for (const file of left) await work(file)
  }
  await Promise.all(Array.from({ length: concurrency }, worker)).finally(refresh)
}

function refresh(): void {
  for (const name of ['trash', 'files', 'vaults']) void queryClient.invalidateQueries({ queryKey: [name] })
}

function useRestore() {
  return useMutation({
    mutationFn: (files: readonly TrashedFile[]) => each(files, ({ id }) => restoreFile(client(), { fileId: id })),
    onSuccess: (_, files) => toast(text.value.files.restored(files.length)),
  })
}

function emptyForm(): Asked {
  const t = text.value.files
  return {
    title: t.emptyTrash,
    text: t.emptyTrashText,
    submit: t.emptyTrash,
    danger: true,
    run: () => emptyTrash(client()).finally(refresh),
    onDone: () => toast(t.emptied),
  }
}

function deletionForm(files: readonly TrashedFile[]): Asked<void> {
  const t = text.value.files
  return {
    title: t.delete,
    text: t.deleteText,
    submit: t.delete,
    danger: true,
    run: () => each(files, ({ id }) => deleteFile(client(), { fileId: id, permanent: true })),
    onDone: () => toast(t.deleted(files.length)),
  }
}
