import type { ApiKey } from '@tideport/sdk'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyCreatedDialog, RevokeKeyDialog, RotateKeyDialog } from './key-dialogs.tsx'

export type OpenKeyDialog =
  | { dialog: 'create' }
  | { dialog: 'rotate' | 'revoke'; apiKey: ApiKey }
  | { dialog: 'created'; name: string; key: string }
  | null

/** The one that is open. */
export function KeyDialog({ open, onShow }: { open: OpenKeyDialog; onShow: (next: OpenKeyDialog) => void }) {
  const onClose = () => onShow(null)
  const onCreated = ({ name, key }: { name: string; key: string }) => onShow({ dialog: 'created', name, key })
  if (open === null) return null
  if (open.dialog === 'create') return <CreateKeyDialog onCreated={onCreated} onClose={onClose} />
  if (open.dialog === 'created') return <KeyCreatedDialog name={open.name} secret={open.key} onClose={onClose} />
  if (open.dialog === 'revoke') return <RevokeKeyDialog apiKey={open.apiKey} onClose={onClose} />
  return <RotateKeyDialog apiKey={open.apiKey} onCreated={onCreated} onClose={onClose} />
}
