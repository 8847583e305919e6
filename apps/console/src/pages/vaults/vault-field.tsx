import { text } from '../../text/text.ts'
import { Checks, SelectField } from '../../ui/field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/more.tsx'
import { useVaults } from './vault-queries.ts'

export function VaultField({ many = false }: { many?: boolean }) {
  const t = text.value
  const { items, list } = useVaults()
  const choices = items.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Loaded query={list}>
      {() => (
        <>
          {many ? (
            <Checks label={t.nav.vaults} hint={t.keys.vaultsHint} name="vaultIds" choices={choices} />
          ) : (
            <SelectField label={t.app.vault} name="vaultId" choices={choices} />
          )}
          <MoreButton list={list} />
        </>
      )}
    </Loaded>
  )
}
