import type { FileRecord } from '@tideport/sdk'
import { text } from '../../text/text.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useUpdateFile } from './file-mutations.ts'

/** Renames the file, and moves it to another folder: both are its path. */
export function MoveDialog({ file, onClose }: { file: FileRecord; onClose: () => void }) {
  const t = text.value.file
  const { mutate, isPending, error } = useUpdateFile(onClose)
  return (
    <FormDialog
      title={t.moveTitle}
      submit={t.move}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(fields) => mutate({ fileId: file.id, path: String(fields.get('path')), onConflict: 'fail' })}
    >
      <Field
        label={t.path}
        hint={t.pathHint}
        input={{ name: 'path', required: true, defaultValue: file.path, autocomplete: 'off', spellcheck: false }}
      />
    </FormDialog>
  )
}
