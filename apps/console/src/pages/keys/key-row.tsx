import type { ApiKey } from '@tideport/sdk'
import { dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Row } from '../../ui/row.tsx'
import { describeLimits } from './describe-limits.ts'
import type { OpenKeyDialog } from './key-dialog.tsx'

interface KeyRowProps {
  apiKey: ApiKey
  /** Of the key that it was made with, where that is shown too. */
  parentName: string | undefined
  vaultName: (vaultId: string) => string
  onOpen: (dialog: OpenKeyDialog) => void
}

export function KeyRow({ apiKey, parentName, vaultName, onOpen }: KeyRowProps) {
  const t = text.value.keys
  const { name, keyPrefix, parentId, scopes, limits, createdAt, expiresAt, lastUsedAt, revoked_at } = apiKey
  const hasEnded = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  const actions = revoked_at === null && (
    <>
      {!hasEnded && (
        <Button label={`${t.rotate}: ${name}`} onClick={() => onOpen({ dialog: 'rotate', apiKey })}>
          {t.rotate}
        </Button>
      )}
      <Button label={`${t.revoke}: ${name}`} onClick={() => onOpen({ dialog: 'revoke', apiKey })}>
        {t.revoke}
      </Button>
    </>
  )
  return (
    <Row title={<bdi>{name}</bdi>} actions={actions}>
      <p class="badges">
        <code class="badge">{keyPrefix}…</code>
        {revoked_at !== null && <span class="badge badge-bad">{t.isRevoked}</span>}
        {revoked_at === null && hasEnded && <span class="badge badge-bad">{t.hasEnded}</span>}
        {scopes === null && <span class="badge">{t.allScopes}</span>}
        {scopes?.map((scope) => (
          <span key={scope} class="badge">
            {scope}
          </span>
        ))}
      </p>
      <Facts
        facts={[
          [t.created, dateTime(createdAt)],
          [t.lastUsed, lastUsedAt === null ? t.never : dateTime(lastUsedAt)],
          [t.ends, expiresAt === null ? t.never : dateTime(expiresAt)],
          [t.revokedAt, revoked_at && dateTime(revoked_at)],
          [t.parent, parentId && <bdi>{parentName ?? parentId}</bdi>],
          ...describeLimits(limits, vaultName),
        ]}
      />
    </Row>
  )
}
