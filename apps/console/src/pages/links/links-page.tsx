import { useSignal } from '@preact/signals'
import type { CreatedLink, Link } from '@tideport/sdk'
import { showSecret } from '../../app/shown-secrets.ts'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Listing } from '../../ui/listing.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { useVaultNames } from '../vaults/vault-names.ts'
import { CreateLinkDialog } from './create-link-dialog.tsx'
import { useLinks, useRevokeLink } from './link-queries.ts'
import { LinkRow } from './link-row.tsx'

type Open = { dialog: 'create' } | { dialog: 'revoke'; link: Link } | null

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
  const onClose = () => onShow(null)
  const onCreated = ({ url }: CreatedLink) => {
    const t = text.value.links
    onClose()
    showSecret({ title: t.createdTitle, label: t.url, secret: url, paragraphs: [t.createdText] })
  }
  if (open === null) return null
  if (open.dialog === 'create') return <CreateLinkDialog onCreated={onCreated} onClose={onClose} />
  return <RevokeLinkDialog link={open.link} onClose={onClose} />
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
