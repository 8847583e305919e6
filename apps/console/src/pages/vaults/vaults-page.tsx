import { useSignal } from '@preact/signals'
import type { Vault } from '@tideport/sdk'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/failure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { CreateVaultDialog, EditVaultDialog, TrashVaultDialog } from './vault-dialogs.tsx'
import { useVaults } from './vault-queries.ts'
import { VaultRow } from './vault-row.tsx'

type Open = { dialog: 'create' } | { dialog: 'edit' | 'trash'; vault: Vault } | null

export default function VaultsPage() {
  const t = text.value.vaults
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useVaults()
  const open = useSignal<Open>(null)
  const create = () => {
    open.value = { dialog: 'create' }
  }
  const close = () => {
    open.value = null
  }
  useCommands([{ label: t.create, key: 'n', run: create }])
  const vaults = data?.pages.flatMap((page) => page.vaults) ?? []
  return (
    <>
      <PageHead title={t.title} lead={t.lead}>
        <Button look="main" keys="n" onClick={create}>
          {t.create}
        </Button>
      </PageHead>
      {isPending && <Spinner />}
      {error !== null && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && vaults.length === 0 && <Empty title={t.empty} text={t.emptyText} />}
      <ul class="vaults">
        {vaults.map((vault) => (
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
        ))}
      </ul>
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {text.value.app.more}
        </Button>
      )}
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
