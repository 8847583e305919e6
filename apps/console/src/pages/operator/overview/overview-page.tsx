import { describeError } from '../../../api/describe-error.ts'
import { useOverview } from '../../../app/operator-access.ts'
import { dateTime } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Failure } from '../../../ui/failure.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { OperatorPage } from '../operator-page.tsx'
import { Attention } from './attention.tsx'
import { Figures } from './figures.tsx'
import { Networks } from './networks.tsx'
import { useNetworks } from './overview-queries.ts'

/** How the installation is, read anew as long as somebody looks. */
export default function OverviewPage() {
  const t = text.value.operator
  const overview = useOverview({ isWatched: true })
  const networks = useNetworks({ isWatched: true })
  const failed = [overview, networks].find(({ data, error }) => data !== undefined && error !== null)
  return (
    <OperatorPage lead={t.lead}>
      <p class="form-error" role="status">
        {failed === undefined ? '' : t.notRefreshed(describeError(failed.error))}
      </p>
      {overview.data === undefined ? (
        <Failure error={overview.error} onRetry={() => void overview.refetch()} />
      ) : (
        <>
          <p class="hint">{takenAt(overview.data.takenAt)}</p>
          <Attention overview={overview.data} networks={networks.data} />
          <Figures overview={overview.data} />
        </>
      )}
      {networks.isPending && <Spinner />}
      {networks.data !== undefined && <Networks answer={networks.data} due={overview.data?.due ?? []} />}
      {!networks.isPending && networks.data === undefined && (
        <Failure error={networks.error} onRetry={() => void networks.refetch()} />
      )}
    </OperatorPage>
  )
}

function takenAt(time: string | null): string {
  const t = text.value.operator
  return time === null ? t.notTaken : t.takenAt(dateTime(time))
}
