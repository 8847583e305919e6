import type { FileRecord } from '@tideport/sdk'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useDeleteFile, useTrashFile } from './file-mutations.ts'

interface EndDialogProps {
  file: FileRecord
  onClose: () => void
}

export function TrashDialog({ file, onClose }: EndDialogProps) {
  const t = text.value.file
  const { mutate, isPending, error } = useTrashFile(onClose)
  return (
    <FormDialog
      title={t.trashTitle(isolated(file.name))}
      submit={t.trash}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={() => mutate(file)}
    >
      <p>{file.status === 'uploading' ? t.trashUploadText : t.trashText}</p>
    </FormDialog>
  )
}

export function DeleteDialog({ file, onClose, onDone }: EndDialogProps & { onDone: () => void }) {
  const t = text.value.file
  const { mutate, isPending, error } = useDeleteFile(onDone)
  return (
    <FormDialog
      title={t.deleteTitle(isolated(file.name))}
      submit={t.delete}
      danger
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={() => mutate(file)}
    >
      <p>{t.deleteText}</p>
    </FormDialog>
  )
}
