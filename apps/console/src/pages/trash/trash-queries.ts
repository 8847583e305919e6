import { useMutation } from '@tanstack/preact-query'
import { deleteFile, emptyTrash, listTrash, restoreFile, type TrashedFile } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { usePages } from '../../api/use-pages.ts'
import { toast } from '../../app/toasts.ts'
import { text } from '../../text/text.ts'

/** So many requests at once. */
const atOnce = 6

/** All that files and vaults are read into. */
function refresh(): void {
  for (const name of ['trash', 'files', 'vaults']) void queryClient.invalidateQueries({ queryKey: [name] })
}

/** Newest first, page by page as it is scrolled to. */
export const useTrash = () =>
  usePages(['trash'], async ({ cursor, signal }) => {
    const { files, nextCursor } = await listTrash(client(), { limit: 100, cursor }, { signal }).page()
    return { items: files, nextCursor }
  })

/** Those chosen, which may be of several vaults. */
export function useRestore() {
  return useMutation({
    mutationFn: (files: readonly TrashedFile[]) => each(files, ({ id }) => restoreFile(client(), { fileId: id })),
    onSuccess: (_, files) => toast(text.value.files.restored(files.length)),
    onSettled: refresh,
  })
}

export function useDeleteForEver(onDone: () => void) {
  return useMutation({
    mutationFn: (files: readonly TrashedFile[]) =>
      each(files, ({ id }) => deleteFile(client(), { fileId: id, permanent: true })),
    meta: { toldByForm: true },
    onSuccess(_, files) {
      onDone()
      toast(text.value.files.deleted(files.length))
    },
    onSettled: refresh,
  })
}

export function useEmptyTrash(onDone: () => void) {
  return useMutation({
    mutationFn: () => emptyTrash(client()),
    meta: { toldByForm: true },
    onSuccess() {
      onDone()
      toast(text.value.files.emptied)
    },
    onSettled: refresh,
  })
}

async function each(files: readonly TrashedFile[], work: (file: TrashedFile) => Promise<unknown>): Promise<void> {
  const left = files.values()
  const worker = async () => {
    for (const file of left) await work(file)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
