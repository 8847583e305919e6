import { useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { Failure } from '../../ui/failure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { spans } from './days.ts'
import { NetworkUsage } from './network-usage.tsx'
import { Totals } from './totals.tsx'
import { UsageHistory } from './usage-history.tsx'
import { useAccount } from './usage-queries.ts'
import { VaultUsage } from './vault-usage.tsx'

export default function UsagePage() {
  const t = text.value.usage
  const { data, error, isPending, refetch } = useAccount()
  const [span, setSpan] = useState<number>(spans[0])
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      {isPending && <Spinner />}
      {!isPending && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <>
          <Totals account={data} />
          <UsageHistory span={span} onSpan={setSpan} />
          <NetworkUsage networks={data.usage.networks} />
          <VaultUsage storageBytes={data.usage.storageBytes} span={span} />
        </>
      )}
    </>
  )
}
