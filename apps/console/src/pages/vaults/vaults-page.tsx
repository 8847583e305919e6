import { useSignal } from '@preact/signals'
import type { Vault } from '@tideport/sdk'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Listing } from '../../ui/listing.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { CreateVaultDialog, EditVaultDialog, TrashVaultDialog } from './vault-dialogs.tsx'
import { useVaults } from './vault-queries.ts'
import { VaultRow } from './vault-row.tsx'

type Open = { dialog: 'create' } | { dialog: 'edit' | 'trash'; vault: Vault } | null

export default function VaultsPage() {
  const t = text.value.vaults
  const open = useSignal<Open>(null)
  const create = () => {
    open.value = { dialog: 'create' }
  }
  const close = () => {
    open.value = null
  }
  useCommands([{ label: t.create, key: 'n', run: create }])
  return (
    <>
      <PageHead title={t.title} lead={t.lead}>
        <Button look="main" keys="n" onClick={create}>
          {t.create}
        </Button>
      </PageHead>
      <Listing look="vaults" label={t.title} pages={useVaults()} empty={{ title: t.empty, text: t.emptyText }}>
        {(vault) => (
          <VaultRow
            key={vault.id}
            vault={vault}
            onEdit={() => {
              open.value = { dialog: 'edit', vault }
            }}
            onTrash={() => {
              open.value = { dialog: 'trash', vault }
            }}
          />
        )}
      </Listing>
      <OpenDialog open={open.value} onClose={close} />
    </>
  )
}

function OpenDialog({ open, onClose }: { open: Open; onClose: () => void }) {
  if (open === null) return null
  if (open.dialog === 'create') return <CreateVaultDialog onClose={onClose} />
  if (open.dialog === 'edit') return <EditVaultDialog vault={open.vault} onClose={onClose} />
  return <TrashVaultDialog vault={open.vault} onClose={onClose} />
}
