import { useMutation } from '@tanstack/preact-query'
import { type FileRecord, publishFiles, rehydrateFile, restoreFile, retryFile, type WrittenFile } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { toast } from '../../api/toasts.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { type FileView, fileKey } from './file-queries.ts'

/** Updates the page of the file and marks lists as stale. */
export function noteChange(file: WrittenFile): void {
  queryClient.setQueryData<FileView>(
    fileKey(file.id),
    (view) => view && { ...view, file: { ...view.file, ...file } as FileRecord },
  )
  void noteInLists()
}

const noteInLists = () => queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== 'file' })

export function noteSaved(file: WrittenFile): void {
  noteChange(file)
  toast(text.value.app.saved)
}

export function noteDeleted(id: string): void {
  queryClient.removeQueries({ queryKey: fileKey(id) })
  void noteInLists()
}

function noteResponse(file: WrittenFile, told: string): void {
  noteChange(file)
  void queryClient.invalidateQueries({ queryKey: fileKey(file.id) })
  toast(told)
}

export function useRestoreFile() {
  return useMutation({
    mutationFn: (input: { fileId: string }) => restoreFile(client(), input),
    onSuccess: (file) => noteResponse(file, text.value.app.restored(isolated(file.name ?? file.id))),
  })
}

export const usePublishFile = () =>
  useMutation({
    mutationFn: ({ id, vaultId }: FileRecord) => publishFiles(client(), { vaultId, ids: [id] }),
    onSuccess({ results }, file) {
      const isPublished = results?.every(({ code }) => code === null) ?? false
      const t = text.value
      if (isPublished) return noteResponse({ ...file, awaitingReview: false }, t.file.published(isolated(file.name)))
      void queryClient.invalidateQueries({ queryKey: fileKey(file.id) })
      toast(t.files.leftAsTheyWere(1))
    },
  })

export const useMend = (how: 'retry' | 'rehydrate') =>
  useMutation({
    mutationFn: ({ id }: FileRecord) => (how === 'retry' ? retryFile : rehydrateFile)(client(), { fileId: id }),
    onSuccess: (file) => noteResponse(file, text.value.file[how === 'retry' ? 'retried' : 'rehydrating']),
  })
