import { useSignal } from '@preact/signals'
import type { Link } from '@tideport/sdk'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Listing } from '../../ui/listing.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { useVaultNames } from '../vaults/vault-names.ts'
import { CreateLinkDialog } from './create-link-dialog.tsx'
import { useLinks, useRevokeLink } from './link-queries.ts'
import { LinkRow } from './link-row.tsx'

type Open = { dialog: 'create' } | { dialog: 'revoke'; link: Link } | { dialog: 'created'; url: string } | null

export default function LinksPage() {
  const t = text.value.links
  const vaultName = useVaultNames()
  const open = useSignal<Open>(null)
  const show = (next: Open) => {
    open.value = next
  }
  const create = () => show({ dialog: 'create' })
  useCommands([{ label: t.create, key: 'n', run: create }])
  return (
    <>
      <PageHead title={t.title} lead={t.lead}>
        <Button look="main" keys="n" onClick={create}>
          {t.create}
        </Button>
      </PageHead>
      <Listing label={t.title} pages={useLinks()} empty={{ title: t.empty, text: t.emptyText }}>
        {(link) => (
          <LinkRow key={link.id} link={link} vaultName={vaultName} onRevoke={() => show({ dialog: 'revoke', link })} />
        )}
      </Listing>
      <OpenDialog open={open.value} onShow={show} />
    </>
  )
}

function OpenDialog({ open, onShow }: { open: Open; onShow: (next: Open) => void }) {
  const t = text.value.links
  const onClose = () => onShow(null)
  if (open === null) return null
  if (open.dialog === 'create') {
    return <CreateLinkDialog onCreated={({ url }) => onShow({ dialog: 'created', url })} onClose={onClose} />
  }
  if (open.dialog === 'revoke') return <RevokeLinkDialog link={open.link} onClose={onClose} />
  return (
    <SecretDialog title={t.createdTitle} label={t.url} secret={open.url} onClose={onClose}>
      <p>{t.createdText}</p>
    </SecretDialog>
  )
}

function RevokeLinkDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const t = text.value.links
  return (
    <ConfirmDialog
      title={t.revokeTitle}
      text={t.revokeText}
      submit={t.revoke}
      change={useRevokeLink(onClose)}
      input={link}
      onClose={onClose}
    />
  )
}
