import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useVaults } from '../vaults/vault-queries.ts'

/** One of the account's vaults. */
export function VaultSelect() {
  const { items: vaults, list } = useVaults()
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = list
  if (isPending) return <Spinner />
  if (data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  return (
    <>
      <SelectField
        label={text.value.links.vault}
        name="vaultId"
        choices={vaults.map(({ id, name }) => ({ value: id, label: name }))}
      />
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {text.value.app.more}
        </Button>
      )}
    </>
  )
}
