import { deleteFile, type FileRecord, updateFile, type WrittenFile } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { toast } from '../../api/toasts.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import type { Asked } from '../../ui/use-dialog.tsx'
import { noteChange, noteDeleted, noteSaved } from './file-changes.ts'

export function moveForm({ id, path }: FileRecord): Asked<WrittenFile> {
  const t = text.value.file
  const field = { required: true, defaultValue: path, spellcheck: false }
  return {
    title: t.moveTitle,
    submit: t.move,
    fields: [{ name: 'path', label: t.path, hint: t.pathHint, ...field }],
    run: (fields) => updateFile(client(), { fileId: id, path: String(fields.get('path')), onConflict: 'fail' }),
    onAnswer: noteSaved,
  }
}

export function trashForm({ id, name, status }: FileRecord, undo: () => void): Asked<WrittenFile> {
  const { app, file: t } = text.value
  return {
    title: app.trashTitle(isolated(name)),
    text: status === 'uploading' ? t.trashUploadText : t.trashText,
    submit: app.trash,
    run: () => deleteFile(client(), { fileId: id }),
    onAnswer: (trashed) => {
      noteChange(trashed)
      toast(app.trashed(isolated(name)), { label: text.value.app.undo, run: undo })
    },
  }
}

export function deletionForm({ id, name }: FileRecord, onDeleted: () => void): Asked {
  const t = text.value.file
  return {
    title: t.deleteTitle(isolated(name)),
    text: t.deleteText,
    submit: t.delete,
    danger: true,
    run: () => deleteFile(client(), { fileId: id, permanent: true }),
    onAnswer: () => {
      noteDeleted(id)
      onDeleted()
      toast(t.deleted(isolated(name)))
    },
  }
}
