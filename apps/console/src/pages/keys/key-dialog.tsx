import type { ApiKey } from '@tideport/sdk'
import { showSecret } from '../../app/shown-secrets.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { RevokeKeyDialog, RotateKeyDialog } from './key-dialogs.tsx'

export type OpenKeyDialog = { dialog: 'create' } | { dialog: 'rotate' | 'revoke'; apiKey: ApiKey } | null

/** The one that is open. */
export function KeyDialog({ open, onShow }: { open: OpenKeyDialog; onShow: (next: OpenKeyDialog) => void }) {
  const onClose = () => onShow(null)
  const onCreated = ({ name, key }: { name: string; key: string }) => {
    const t = text.value.keys
    onClose()
    showSecret({ title: t.createdTitle(isolated(name)), label: t.secret, secret: key, paragraphs: [t.createdText] })
  }
  if (open === null) return null
  if (open.dialog === 'create') return <CreateKeyDialog onCreated={onCreated} onClose={onClose} />
  if (open.dialog === 'revoke') return <RevokeKeyDialog apiKey={open.apiKey} onClose={onClose} />
  return <RotateKeyDialog apiKey={open.apiKey} onCreated={onCreated} onClose={onClose} />
}
