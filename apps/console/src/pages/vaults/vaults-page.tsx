import type { Vault } from '@tideport/sdk'
import { Link, useLocation } from 'wouter-preact'
import { bytes, date } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Row } from '../../ui/row.tsx'
import type { Ask } from '../../ui/use-dialog.tsx'
import { ReleaseNotice } from '../operator/release-notice.tsx'
import { ResourcePage } from '../resource/resource-page.tsx'
import { newVaultForm, trashForm, useRestoreVault, vaultForm } from './vault-forms.ts'
import { vaultsQuery } from './vault-queries.ts'

export default function VaultsPage() {
  const [, navigate] = useLocation()
  return (
    <>
      <ReleaseNotice />
      <ResourcePage
        name="vaults"
        text={text.value.vaults}
        query={vaultsQuery}
        create={() => newVaultForm((id) => navigate(`/vaults/${id}/key`))}
      >
        {(vault, ask) => <VaultRow key={vault.id} vault={vault} ask={ask} />}
      </ResourcePage>
    </>
  )
}

function VaultRow({ vault, ask }: { vault: Vault; ask: Ask }) {
  const { app, vaults: t } = text.value
  const { id, name, description, visibility, isDefault, fileCount, storageBytes, createdAt } = vault
  const restore = useRestoreVault()
  return (
    <Row
      class="vault"
      title={<Link href={`/vaults/${id}`}>{name}</Link>}
      actions={[
        visibility === 'private' && { label: t.key, of: name, href: `/vaults/${id}/key` },
        { label: app.edit, of: name, run: () => ask(vaultForm(vault)) },
        !isDefault && { label: app.trash, of: name, run: () => ask(trashForm(vault, () => restore.mutate(vault))) },
      ]}
    >
      {description !== '' && <p>{description}</p>}
      <p class="hint">
        <span class={`badge badge-${visibility}`}>{t[visibility]}</span>
        {isDefault && <span class="badge">{t.default}</span>}
        {t.count(fileCount)} · {bytes(storageBytes)} · {date(createdAt)}
      </p>
    </Row>
  )
}
