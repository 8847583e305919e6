import { useMutation } from '@tanstack/preact-query'
import { deleteFile, emptyTrash, restoreFile, type TrashedFile } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { toast } from '../../api/toasts.ts'
import { text } from '../../text/text.ts'
import type { Asked, Form } from '../../ui/use-dialog.tsx'

const concurrency = 6

/** Does it to each file, and then marks every query of files and vaults as stale, also after a failure. */
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

/** The files may be of several vaults. */
export function useRestore() {
  return useMutation({
    mutationFn: (files: readonly TrashedFile[]) => each(files, ({ id }) => restoreFile(client(), { fileId: id })),
    onSuccess: (_, files) => toast(text.value.files.restored(files.length)),
  })
}

export function emptyForm(): Asked {
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

export function deletionForm(files: readonly TrashedFile[]): Form<void> {
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
