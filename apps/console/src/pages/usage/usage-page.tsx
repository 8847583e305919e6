import { useQuery } from '@tanstack/preact-query'
import { readAccount } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { text } from '../../text/text.ts'
import { Failure } from '../../ui/failure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { NetworkUsage } from './network-usage.tsx'
import { Totals } from './totals.tsx'
import { VaultUsage } from './vault-usage.tsx'

export default function UsagePage() {
  const t = text.value.usage
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => readAccount(client(), {}, { signal }),
  })
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      {isPending && <Spinner />}
      {!isPending && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <>
          <Totals account={data} />
          <NetworkUsage networks={data.usage.networks} />
          <VaultUsage storageBytes={data.usage.storageBytes} />
        </>
      )}
    </>
  )
}
