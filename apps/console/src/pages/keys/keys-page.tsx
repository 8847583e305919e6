import { useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { Tick } from '../../ui/field.tsx'
import { ResourcePage } from '../resource/resource-page.tsx'
import { useVaultNames } from '../vaults/vault-names.ts'
import { newKeyForm } from './key-forms.ts'
import { KeyRow } from './key-row.tsx'
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
