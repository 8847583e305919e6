import type { Link as SharedLink } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { bytes, dateTime, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Row } from '../../ui/row.tsx'

interface LinkRowProps {
  link: SharedLink
  vaultName: (vaultId: string) => string
  onRevoke: () => void
}

export function LinkRow({ link, vaultName, onRevoke }: LinkRowProps) {
  const t = text.value.links
  const { kind, state, fileId, path, vaultId, prefix, hasPassword } = link
  const actions = state === 'usable' && (
    <Button label={t.revokeMade(dateTime(link.createdAt))} onClick={onRevoke}>
      {t.revoke}
    </Button>
  )
  return (
    <Row
      title={
        fileId === null ? (
          <FolderTitle vault={vaultName(vaultId ?? '')} prefix={prefix ?? ''} />
        ) : (
          <Link href={`/files/${fileId}`}>
            <bdi>{path ?? fileId}</bdi>
          </Link>
        )
      }
      actions={actions}
    >
      <p class="badges">
        <span class={`badge badge-${state === 'usable' ? 'good' : 'bad'}`}>{t.states[state]}</span>
        <span class="badge">{t.kinds[kind]}</span>
        {hasPassword && <span class="badge">{t.hasPassword}</span>}
      </p>
      <LinkFacts link={link} />
    </Row>
  )
}

function FolderTitle({ vault, prefix }: { vault: string; prefix: string }) {
  return (
    <>
      <bdi>{vault}</bdi> / <bdi>{prefix}</bdi>
    </>
  )
}

function LinkFacts({ link }: { link: SharedLink }) {
  const t = text.value.links
  const { downloads, maxDownloads, expiresAt, lastUsedAt, createdAt, revokedAt, upload } = link
  const counted = (count: number, max: number | null) =>
    max === null ? number(count) : t.of(number(count), number(max))
  return (
    <Facts
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
    />
  )
}
