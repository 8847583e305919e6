import { useSignal } from '@preact/signals'
import type { CreatedLink } from '@tideport/sdk'
import { text } from '../../text/text.ts'
import { Choices, Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { lives, readNewLink } from './link-form.ts'
import { useCreateLink } from './link-queries.ts'
import { DownloadFields, UploadFields } from './link-terms.tsx'
import { VaultSelect } from './vault-select.tsx'

interface CreateLinkDialogProps {
  onCreated: (created: CreatedLink) => void
  onClose: () => void
}

export function CreateLinkDialog({ onCreated, onClose }: CreateLinkDialogProps) {
  const t = text.value.links
  const kind = useSignal('folder')
  const { mutate, isPending, error } = useCreateLink(onCreated)
  return (
    <FormDialog
      title={t.createTitle}
      submit={t.create}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(fields) => mutate(readNewLink(fields))}
    >
      <VaultSelect />
      <Field
        label={t.prefix}
        hint={t.prefixHint}
        input={{ name: 'prefix', autocomplete: 'off', placeholder: '2026/photos' }}
      />
      <Choices
        label={t.kind}
        name="kind"
        choices={[
          { value: 'folder', label: t.kinds.folder, hint: t.folderHint },
          { value: 'upload', label: t.kinds.upload, hint: t.uploadHint },
        ]}
        onChange={(value) => {
          kind.value = value
        }}
      />
      {kind.value === 'upload' ? <UploadFields /> : <DownloadFields />}
      <SelectField
        label={t.life}
        name="expiresInSeconds"
        value="week"
        choices={Object.keys(lives).map((life) => ({ value: life, label: t.lives[life as keyof typeof lives] }))}
      />
      <Field
        label={t.password}
        hint={t.passwordHint}
        input={{ name: 'password', type: 'password', autocomplete: 'new-password', minLength: 8, maxLength: 256 }}
      />
    </FormDialog>
  )
}
