import { useMutation } from '@tanstack/preact-query'
import {
  deleteFile,
  type FileRecord,
  publishFiles,
  rehydrateFile,
  restoreFile,
  retryFile,
  type UpdateFileInput,
  updateFile,
  type WrittenFile,
} from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { toast } from '../../app/toasts.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { type FileView, fileKey } from './file-queries.ts'

/** Lists that hold the file are read anew where they are shown again. */
export function noteChange(file: WrittenFile): void {
  queryClient.setQueryData<FileView>(
    fileKey(file.id),
    (view) => view && { ...view, file: { ...view.file, ...file } as FileRecord },
  )
  void queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== 'file' })
}

/** Reads the file anew, with its copies. */
const readAgain = ({ id }: WrittenFile) => queryClient.invalidateQueries({ queryKey: fileKey(id) })

export function useUpdateFile(onDone: () => void) {
  return useMutation({
    mutationFn: (input: UpdateFileInput) => updateFile(client(), input),
    meta: { toldByForm: true },
    onSuccess(file) {
      noteChange(file)
      onDone()
      toast(text.value.file.saved)
    },
  })
}

export function useTrashFile(onDone: () => void) {
  const restore = useRestoreFile()
  return useMutation({
    mutationFn: ({ id }: FileRecord) => deleteFile(client(), { fileId: id }),
    meta: { toldByForm: true },
    onSuccess(file, { name }) {
      noteChange(file)
      onDone()
      toast(text.value.file.trashed(isolated(name)), {
        label: text.value.app.undo,
        run: () => restore.mutate({ fileId: file.id }),
      })
    },
  })
}

export function useRestoreFile() {
  return useMutation({
    mutationFn: (input: { fileId: string }) => restoreFile(client(), input),
    onSuccess(file) {
      noteChange(file)
      void readAgain(file)
      toast(text.value.file.restored(isolated(file.name ?? file.id)))
    },
  })
}

export function useDeleteFile(onDone: () => void) {
  return useMutation({
    mutationFn: ({ id }: FileRecord) => deleteFile(client(), { fileId: id, permanent: true }),
    meta: { toldByForm: true },
    onSuccess({ id }, { name }) {
      queryClient.removeQueries({ queryKey: fileKey(id) })
      void queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== 'file' })
      onDone()
      toast(text.value.file.deleted(isolated(name)))
    },
  })
}

/** Ends the review of a received file. */
export function usePublishFile() {
  return useMutation({
    mutationFn: ({ id, vaultId }: FileRecord) => publishFiles(client(), { vaultId, ids: [id] }),
    onSuccess({ results }, file) {
      const isPublished = results?.every(({ code }) => code === null) ?? false
      if (isPublished) noteChange({ ...file, awaitingReview: false })
      void readAgain(file)
      toast(isPublished ? text.value.file.published(isolated(file.name)) : text.value.files.leftAsTheyWere(1))
    },
  })
}

/** Out of `error`, or back to hot storage. */
export function useMend(how: 'retry' | 'rehydrate') {
  return useMutation({
    mutationFn: ({ id }: FileRecord) => (how === 'retry' ? retryFile : rehydrateFile)(client(), { fileId: id }),
    onSuccess(file) {
      noteChange(file)
      void readAgain(file)
      toast(how === 'retry' ? text.value.file.retried : text.value.file.rehydrating)
    },
  })
}
