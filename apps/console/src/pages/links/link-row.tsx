import type { Link as SharedLink } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { bytes, dateTime, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Row } from '../../ui/row.tsx'

interface LinkRowProps {
  link: SharedLink
  vaultName: (vaultId: string) => string
  onRevoke: () => void
}

export function LinkRow({ link, vaultName, onRevoke }: LinkRowProps) {
  const t = text.value.links
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
        hasPassword && t.hasPassword,
      ]}
      facts={[
        [t.downloads, upload === null ? counted(downloads, maxDownloads) : null],
        [t.files, upload && counted(upload.files, upload.maxFiles)],
        [t.size, upload && t.of(bytes(upload.bytes), bytes(upload.maxBytes))],
        [t.maxFile, upload && bytes(upload.maxFileBytes)],
        [t.types, upload?.mimeTypes?.join(', ')],
        [t.received, upload && t.receivedKinds[upload.received]],
        [t.ends, expiresAt === null ? t.whenRevoked : dateTime(expiresAt)],
        [t.lastUsed, lastUsedAt === null ? t.never : dateTime(lastUsedAt)],
        [t.created, dateTime(createdAt)],
        [t.revokedAt, revokedAt && dateTime(revokedAt)],
      ]}
      actions={[state === 'usable' && { label: t.revoke, of: t.made(dateTime(createdAt)), run: onRevoke }]}
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
