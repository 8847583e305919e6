import { text } from '../../text/text.ts'
import { ResourcePage } from '../resource/resource-page.tsx'
import { useVaultNames } from '../vaults/vault-names.ts'
import { JobRow } from './job-row.tsx'
import { jobsQuery } from './jobs-query.ts'

export default function JobsPage() {
  const vaultName = useVaultNames()
  return (
    <ResourcePage name="jobs" text={text.value.jobs} query={jobsQuery}>
      {(job, ask) => <JobRow key={job.id} job={job} vaultName={vaultName} ask={ask} />}
    </ResourcePage>
  )
}
