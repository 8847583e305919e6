import type { ApiKey } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { bytes, dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { Tick } from '../../ui/field.tsx'
import { Row } from '../../ui/row.tsx'
import type { Ask } from '../../ui/use-dialog.tsx'
import { ResourcePage } from '../resource/resource-page.tsx'
import { useVaultNames } from '../vaults/vault-queries.ts'
import { newKeyForm, revocationForm, rotationForm } from './key-forms.tsx'
import { keysQuery } from './keys-query.ts'

export default function KeysPage() {
  const t = text.value.keys
  const [withRevoked, setWithRevoked] = useState(false)
  const vaultName = useVaultNames()
  return (
    <ResourcePage
      name="keys"
      text={t}
      query={keysQuery(withRevoked)}
      create={newKeyForm}
      filters={
        <Tick
          label={t.withRevoked}
          checked={withRevoked}
          onChange={(event) => setWithRevoked(event.currentTarget.checked)}
        />
      }
    >
      {(apiKey, ask, keys) => {
        const parent = keys.find(({ id }) => id === apiKey.parentId)
        return <KeyRow key={apiKey.id} apiKey={apiKey} parentName={parent?.name} vaultName={vaultName} ask={ask} />
      }}
    </ResourcePage>
  )
}

interface KeyRowProps {
  apiKey: ApiKey
  /** Undefined when the parent key is not in the list. */
  parentName: string | undefined
  vaultName: (vaultId: string) => string
  ask: Ask
}

function KeyRow({ apiKey, parentName, vaultName, ask }: KeyRowProps) {
  const { nav, app, keys: t } = text.value
  const { name, keyPrefix, isSession, parentId, scopes, limits, createdAt, expiresAt, lastUsedAt, revoked_at } = apiKey
  const isRevoked = revoked_at !== null
  const hasEnded = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return (
    <Row
      title={<bdi>{name}</bdi>}
      badges={[
        <code key="prefix" class="badge">
          {keyPrefix}…
        </code>,
        isSession && t.session,
        isRevoked && ['badge-bad', app.revoked],
        !isRevoked && hasEnded && ['badge-bad', t.hasEnded],
        ...(scopes ?? [t.allScopes]),
      ]}
      facts={[
        [app.created, dateTime(createdAt)],
        [t.lastUsed, lastUsedAt === null ? app.never : dateTime(lastUsedAt)],
        [app.ends, expiresAt === null ? app.never : dateTime(expiresAt)],
        [app.revoked, revoked_at && dateTime(revoked_at)],
        [t.parent, parentId && <bdi>{parentName ?? parentId}</bdi>],
        [nav.vaults, limits?.vaultIds?.map((id) => isolated(vaultName(id))).join(', ')],
        [t.prefixes, limits?.prefixes?.map(isolated).join(', ')],
        [t.verbs, limits?.verbs?.map((verb) => t.verbNames[verb]).join(', ')],
        [t.bytesPerDay, limits?.bytesPerDay == null ? null : bytes(limits.bytesPerDay)],
        [t.addresses, limits?.addresses?.join(', ')],
        [t.s3AccessKeyId, apiKey.s3AccessKeyId],
      ]}
      actions={[
        !isSession && !isRevoked && !hasEnded && { label: t.rotate, of: name, run: () => ask(rotationForm(apiKey)) },
        !isRevoked && { label: app.revoke, of: name, run: () => ask(revocationForm(apiKey)) },
      ]}
    />
  )
}
