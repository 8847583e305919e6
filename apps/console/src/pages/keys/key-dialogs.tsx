import type { ApiKey } from '@tideport/sdk'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useRevokeKey, useRotateKey } from './key-queries.ts'

export type OnCreated = (created: { name: string; key: string }) => void

interface KeyDialogProps {
  apiKey: ApiKey
  onClose: () => void
}

export function RevokeKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const t = text.value.keys
  return (
    <ConfirmDialog
      title={t.revokeTitle(isolated(apiKey.name))}
      text={t.revokeText}
      submit={t.revoke}
      change={useRevokeKey(onClose)}
      input={apiKey}
      onClose={onClose}
    />
  )
}

const overlaps = { '0': 0, '3600': 3600, '86400': 86_400, '604800': 604_800, '2592000': 2_592_000 } as const

export function RotateKeyDialog({ apiKey, onCreated, onClose }: KeyDialogProps & { onCreated: OnCreated }) {
  const t = text.value.keys
  const { mutate, isPending, error } = useRotateKey(onCreated)
  const choices = Object.keys(overlaps).map((value) => ({ value, label: t.overlaps[value as keyof typeof overlaps] }))
  return (
    <FormDialog
      title={t.rotateTitle(isolated(apiKey.name))}
      submit={t.rotate}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(fields) => mutate({ apiKeyId: apiKey.id, overlapSeconds: Number(fields.get('overlapSeconds')) })}
    >
      <p>{t.rotateText}</p>
      <SelectField label={t.overlap} name="overlapSeconds" choices={choices} value="86400" />
    </FormDialog>
  )
}
