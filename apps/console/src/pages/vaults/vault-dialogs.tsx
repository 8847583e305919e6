import type { Vault } from '@tideport/sdk'
import { useLocation } from 'wouter-preact'
import { text } from '../../text/text.ts'
import { Choices, Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useCreateVault, useTrashVault, useUpdateVault } from './vault-queries.ts'

const nameField = { name: 'name', required: true, pattern: '.*\\S.*', maxLength: 128, autocomplete: 'off' } as const
const descriptionField = { name: 'description', maxLength: 1000, autocomplete: 'off' } as const

export function CreateVaultDialog({ onClose }: { onClose: () => void }) {
  const t = text.value.vaults
  const [, navigate] = useLocation()
  const { mutate, isPending, error } = useCreateVault(({ id, visibility }) => {
    onClose()
    // Nothing can be put into a private one before it has a key.
    if (visibility === 'private') navigate(`/vaults/${id}/key`)
  })
  return (
    <FormDialog
      title={t.createTitle}
      submit={t.create}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(fields) =>
        mutate({
          name: String(fields.get('name')).trim(),
          description: String(fields.get('description')),
          visibility: fields.get('visibility') === 'private' ? 'private' : 'public',
        })
      }
    >
      <Field label={t.name} input={nameField} />
      <Field label={t.description} input={descriptionField} />
      <Choices
        label={t.visibility}
        hint={t.visibilityHint}
        name="visibility"
        choices={[
          { value: 'public', label: t.public, hint: t.publicHint },
          { value: 'private', label: t.private, hint: t.privateHint },
        ]}
      />
    </FormDialog>
  )
}

interface VaultDialogProps {
  vault: Vault
  onClose: () => void
}

export function EditVaultDialog({ vault, onClose }: VaultDialogProps) {
  const t = text.value.vaults
  const { mutate, isPending, error } = useUpdateVault(onClose)
  return (
    <FormDialog
      title={t.editTitle(vault.name)}
      submit={text.value.app.save}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(fields) =>
        mutate({
          vaultId: vault.id,
          name: String(fields.get('name')).trim(),
          description: String(fields.get('description')),
        })
      }
    >
      <Field label={t.name} input={{ ...nameField, defaultValue: vault.name }} />
      <Field label={t.description} input={{ ...descriptionField, defaultValue: vault.description }} />
    </FormDialog>
  )
}

export function TrashVaultDialog({ vault, onClose }: VaultDialogProps) {
  const t = text.value.vaults
  const { mutate, isPending, error } = useTrashVault(onClose)
  return (
    <FormDialog
      title={t.removeTitle(vault.name)}
      submit={t.remove}
      danger
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={() => mutate(vault)}
    >
      <p>{t.removeText(t.count(vault.fileCount))}</p>
    </FormDialog>
  )
}
