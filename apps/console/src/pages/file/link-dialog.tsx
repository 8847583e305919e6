import type { CreateFileLinkInput, FileRecord } from '@tideport/sdk'
import { showSecret } from '../../app/shown-secrets.ts'
import { text } from '../../text/text.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useCreateLink } from './link-queries.ts'

const HOUR = 3600
const lives = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR, month: 30 * 24 * HOUR, ever: null } as const

/** Makes a link, and shows it: this once. */
export function LinkDialog({ file, onClose }: { file: FileRecord; onClose: () => void }) {
  const t = text.value.file
  const { mutate, isPending, error } = useCreateLink(({ url }) => {
    onClose()
    showSecret({ title: t.linkReady, label: t.link, secret: url, paragraphs: [t.linkOnce] })
  })
  return (
    <FormDialog
      title={t.newLink}
      submit={t.makeLink}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(fields) => mutate(inputOf(file.id, fields))}
    >
      <SelectField
        label={t.linkLife}
        name="expiresInSeconds"
        value="week"
        choices={Object.keys(lives).map((life) => ({ value: life, label: t.lives[life as keyof typeof lives] }))}
      />
      <Field
        label={t.linkPassword}
        hint={t.linkPasswordHint}
        input={{ name: 'password', type: 'password', autocomplete: 'new-password' }}
      />
      <Field
        label={t.linkMax}
        hint={t.linkMaxHint}
        input={{ name: 'maxDownloads', type: 'number', min: 1, inputMode: 'numeric' }}
      />
      {file.wrappedKey !== null && <p class="hint">{t.linkEncrypted}</p>}
    </FormDialog>
  )
}

function inputOf(fileId: string, fields: FormData): CreateFileLinkInput {
  const password = String(fields.get('password'))
  const max = String(fields.get('maxDownloads'))
  return {
    fileId,
    expiresInSeconds: lives[fields.get('expiresInSeconds') as keyof typeof lives],
    password: password === '' ? null : password,
    maxDownloads: max === '' ? null : Number(max),
  }
}
