import { listLinks, revokeLink, type Link as SharedLink } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { client } from '../../api/client.ts'
import { toast } from '../../api/toasts.ts'
import { bytes, dateTime, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Row } from '../../ui/row.tsx'
import type { Asked } from '../../ui/use-dialog.tsx'
import { readList } from '../resource/read-list.ts'
import { ResourcePage } from '../resource/resource-page.tsx'
import { useVaultNames } from '../vaults/vault-queries.ts'
import { LinkForm } from './link-form.tsx'

export default function LinksPage() {
  const vaultName = useVaultNames()
  return (
    <ResourcePage<SharedLink>
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

function revocationForm({ id }: SharedLink): Asked {
  const { app, links: t } = text.value
  return {
    title: t.revokeTitle,
    text: t.revokeText,
    submit: app.revoke,
    danger: true,
    run: () => revokeLink(client(), { linkId: id }),
    changes: ['links'],
    onDone: () => toast(t.revoked),
  }
}

interface LinkRowProps {
  link: SharedLink
  vaultName: (vaultId: string) => string
  onRevoke: () => void
}

function LinkRow({ link, vaultName, onRevoke }: LinkRowProps) {
  const { app, links: t } = text.value
  const { kind, state, hasPassword, downloads, maxDownloads, expiresAt, lastUsedAt, createdAt, revokedAt, upload } =
    link
  const counted = (count: number, max: number | null) =>
    max === null ? number(count) : t.of(number(count), number(max))
  return (
    <Row
      title={<LinkTitle link={link} vaultName={vaultName} />}
      badges={[
        [state === 'usable' ? 'badge-good' : 'badge-bad', t.states[state]],
        t.kinds[kind],
        hasPassword && t.password,
      ]}
      facts={[
        [t.downloads, upload === null ? counted(downloads, maxDownloads) : null],
        [t.files, upload && counted(upload.files, upload.maxFiles)],
        [t.size, upload && t.of(bytes(upload.bytes), bytes(upload.maxBytes))],
        [app.maxFile, upload && bytes(upload.maxFileBytes)],
        [t.types, upload?.mimeTypes?.join(', ')],
        [t.received, upload && t.receivedKinds[upload.received]],
        [app.ends, expiresAt === null ? t.whenRevoked : dateTime(expiresAt)],
        [t.lastUsed, lastUsedAt === null ? app.never : dateTime(lastUsedAt)],
        [t.created, dateTime(createdAt)],
        [app.revoked, revokedAt && dateTime(revokedAt)],
      ]}
      actions={[state === 'usable' && { label: app.revoke, of: t.made(dateTime(createdAt)), run: onRevoke }]}
    />
  )
}

function LinkTitle({ link, vaultName }: Omit<LinkRowProps, 'onRevoke'>) {
  const { fileId, path, vaultId, prefix } = link
  if (fileId === null)
    return (
      <>
        <bdi>{vaultName(vaultId ?? '')}</bdi> / <bdi>{prefix}</bdi>
      </>
    )
  return (
    <Link href={`/files/${fileId}`}>
      <bdi>{path ?? fileId}</bdi>
    </Link>
  )
}
