import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Checks } from '../../ui/checks.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Field } from '../../ui/field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useVaults } from '../vaults/vault-queries.ts'
import { verbs } from './key-form.ts'

/** What a key may not do beyond, though its scopes allow it. */
export function KeyLimitFields() {
  const t = text.value.keys
  return (
    <>
      <VaultChecks />
      <TextField label={t.prefixes} hint={t.prefixesHint} input={{ name: 'prefixes', placeholder: '2026/photos/' }} />
      <Checks
        label={t.verbs}
        hint={t.verbsHint}
        name="verbs"
        choices={verbs.map((verb) => ({ value: verb, label: t.verbNames[verb] }))}
      />
      <Field
        label={t.megabytes}
        hint={t.megabytesHint}
        input={{ name: 'bytesPerDay', type: 'number', min: 1, max: 1_000_000_000, step: 1, inputMode: 'numeric' }}
      />
      <TextField
        label={t.addresses}
        hint={t.addressesHint}
        input={{ name: 'addresses', placeholder: '192.0.2.0/24' }}
      />
    </>
  )
}

function VaultChecks() {
  const t = text.value.keys
  const { items: vaults, list } = useVaults()
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = list
  if (isPending) return <Spinner />
  if (data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  return (
    <>
      <Checks
        label={t.vaults}
        hint={t.vaultsHint}
        name="vaultIds"
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
