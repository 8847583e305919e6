import { useLocation } from 'wouter-preact'
import { text } from '../../text/text.ts'
import { ResourcePage } from '../resource/resource-page.tsx'
import { newVaultForm } from './vault-forms.ts'
import { vaultsQuery } from './vault-queries.ts'
import { VaultRow } from './vault-row.tsx'

export default function VaultsPage() {
  const [, navigate] = useLocation()
  return (
    <ResourcePage
      name="vaults"
      text={text.value.vaults}
      query={vaultsQuery}
      create={() => newVaultForm((id) => navigate(`/vaults/${id}/key`))}
    >
      {(vault, ask) => <VaultRow key={vault.id} vault={vault} ask={ask} />}
    </ResourcePage>
  )
}
