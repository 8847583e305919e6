import { text } from '../../text/text.ts'
import { ResourcePage } from '../resource/resource-page.tsx'
import { useVaultNames } from '../vaults/vault-queries.ts'
import { JobRow } from './job-row.tsx'
import { jobsQuery } from './progress.ts'

export default function JobsPage() {
  const vaultName = useVaultNames()
  return (
    <ResourcePage name="jobs" text={text.value.jobs} query={jobsQuery}>
      {(job, ask) => <JobRow key={job.id} job={job} vaultName={vaultName} ask={ask} />}
    </ResourcePage>
  )
}
