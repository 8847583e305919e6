import { type Link, listLinks, revokeLink } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { toast } from '../../api/toasts.ts'
import { text } from '../../text/text.ts'
import type { Asked } from '../../ui/use-dialog.tsx'
import { readList } from '../resource/read-list.ts'
import { ResourcePage } from '../resource/resource-page.tsx'
import { useVaultNames } from '../vaults/vault-names.ts'
import { LinkForm } from './link-form.tsx'
import { LinkRow } from './link-row.tsx'

export default function LinksPage() {
  const vaultName = useVaultNames()
  return (
    <ResourcePage<Link>
      name="links"
      text={text.value.links}
      query={{ queryKey: ['links', 'list'], read: readList('links', listLinks, {}) }}
      create={() => (close) => <LinkForm onClose={close} />}
    >
      {(link, ask) => (
        <LinkRow key={link.id} link={link} vaultName={vaultName} onRevoke={() => ask(revocationForm(link))} />
      )}
    </ResourcePage>
  )
}

function revocationForm({ id }: Link): Asked {
  const t = text.value.links
  return {
    title: t.revokeTitle,
    text: t.revokeText,
    submit: t.revoke,
    danger: true,
    run: () => revokeLink(client(), { linkId: id }),
    changes: ['links'],
    onDone: () => toast(t.revoked),
  }
}
