import { useQuery } from '@tanstack/preact-query'
import { Link } from 'wouter-preact'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { CheckWebhook } from './check-webhook.tsx'
import { FindingRow } from './finding-row.tsx'
import { runChecks } from './run-checks.ts'

/** The last step of the set-up, and the page for a browser that cannot upload. */
export default function CheckPage() {
  const t = text.value.check
  const query = useQuery({
    queryKey: ['check'],
    queryFn: ({ signal }) => runChecks(signal),
    // Each run uploads a file.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const vaultId = query.data?.vaultId
  return (
    <>
      <PageHead title={t.title} lead={t.lead}>
        <Button busy={query.isFetching} onClick={() => void query.refetch()} text={t.again} />
        <Link class="button button-main" href={vaultId ? `/vaults/${vaultId}` : '/'}>
          {t.open}
        </Link>
      </PageHead>
      <Loaded query={query}>
        {({ findings }) => (
          <ul class="rows" aria-label={t.title}>
            {findings.map((finding) => (
              <FindingRow key={finding.name} finding={finding} />
            ))}
          </ul>
        )}
      </Loaded>
      <CheckWebhook />
    </>
  )
}
