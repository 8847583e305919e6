import { useSignal } from '@preact/signals'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Listing } from '../../ui/listing.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { useVaultNames } from '../vaults/vault-names.ts'
import { KeyDialog, type OpenKeyDialog } from './key-dialog.tsx'
import { useKeys } from './key-queries.ts'
import { KeyRow } from './key-row.tsx'

export default function KeysPage() {
  const t = text.value.keys
  const withRevoked = useSignal(false)
  const pages = useKeys(withRevoked.value)
  const open = useSignal<OpenKeyDialog>(null)
  const show = (next: OpenKeyDialog) => {
    open.value = next
  }
  const create = () => show({ dialog: 'create' })
  useCommands([{ label: t.create, key: 'n', run: create }])
  const vaultName = useVaultNames()
  const names = new Map(pages.items.map(({ id, name }) => [id, name]))
  return (
    <>
      <PageHead title={t.title} lead={t.lead}>
        <Button look="main" keys="n" onClick={create}>
          {t.create}
        </Button>
      </PageHead>
      <div class="filters">
        <label class="check">
          <input
            type="checkbox"
            checked={withRevoked.value}
            onChange={(event) => {
              withRevoked.value = event.currentTarget.checked
            }}
          />
          <span>{t.withRevoked}</span>
        </label>
      </div>
      <Listing label={t.title} pages={pages} empty={{ title: t.empty, text: t.emptyText }}>
        {(apiKey) => (
          <KeyRow
            key={apiKey.id}
            apiKey={apiKey}
            parentName={names.get(apiKey.parentId ?? '')}
            vaultName={vaultName}
            onOpen={show}
          />
        )}
      </Listing>
      <KeyDialog open={open.value} onShow={show} />
    </>
  )
}
