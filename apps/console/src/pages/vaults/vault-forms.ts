import { useMutation } from '@tanstack/preact-query'
import { createVault, deleteVault, restoreVault, updateVault, type Vault } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { toast } from '../../api/toasts.ts'
import { notePrivateVaults } from '../../kept/private-vaults.ts'
import { text } from '../../text/text.ts'
import { type FormField, typedIn } from '../../ui/form-fields.tsx'
import type { Asked } from '../../ui/use-dialog.tsx'

const changes = ['vaults'] as const

function nameFields({ name = '', description = '' }: Partial<Vault> = {}): FormField[] {
  const { app, vaults: t } = text.value
  return [
    { name: 'name', label: app.label, required: true, pattern: '.*\\S.*', maxLength: 128, defaultValue: name },
    { name: 'description', label: t.description, maxLength: 1000, defaultValue: description },
  ]
}

const namesIn = (fields: FormData) => ({
  name: typedIn(fields, 'name'),
  description: String(fields.get('description')),
})

export function newVaultForm(onPrivate: (id: string) => void): Asked<Vault> {
  const { app, vaults: t } = text.value
  const choices = [
    { value: 'public', label: t.public, hint: t.publicHint },
    { value: 'private', label: t.private, hint: t.privateHint },
  ]
  return {
    title: t.create,
    submit: t.create,
    fields: [
      ...nameFields(),
      {
        name: 'slug',
        label: t.slug,
        hint: t.slugHint,
        minLength: 3,
        maxLength: 63,
        pattern: '[a-z0-9][a-z0-9.\\-]*[a-z0-9]',
      },
      { kind: 'choices', name: 'visibility', label: t.visibility, hint: t.visibilityHint, choices },
    ],
    run: async (fields) => {
      const isPrivate = fields.get('visibility') === 'private'
      const visibility = isPrivate ? 'private' : 'public'
      const slug = typedIn(fields, 'slug') || undefined
      const vault = await createVault(client(), { ...namesIn(fields), slug, visibility })
      // The user requested a private vault, whatever the response reports.
      if (isPrivate) notePrivateVaults([vault.id])
      return vault
    },
    changes,
    onDone: ({ id, name, visibility }) => {
      if (visibility === 'private') onPrivate(id)
      toast(app.made(name))
    },
  }
}

export function vaultForm(vault: Vault): Asked {
  const t = text.value
  return {
    title: t.vaults.editTitle(vault.name),
    submit: t.app.save,
    fields: nameFields(vault),
    run: (fields) => updateVault(client(), { vaultId: vault.id, ...namesIn(fields) }),
    changes,
    onDone: () => toast(t.app.saved),
  }
}

export function trashForm({ id, name, fileCount }: Vault, undo: () => void): Asked {
  const { app, vaults: t } = text.value
  return {
    title: app.trashTitle(name),
    text: t.removeText(t.count(fileCount)),
    submit: app.trash,
    danger: true,
    run: () => deleteVault(client(), { vaultId: id, force: true }),
    changes,
    onDone: () => toast(app.trashed(name), { label: app.undo, run: undo }),
  }
}

export function useRestoreVault() {
  return useMutation({
    mutationFn: ({ id }: Vault) => restoreVault(client(), { vaultId: id }),
    async onSuccess(_, { name }) {
      await queryClient.invalidateQueries({ queryKey: changes })
      toast(text.value.app.restored(name))
    },
  })
}
