import { useSignal } from '@preact/signals'
import type { Job } from '@tideport/sdk'
import { text } from '../../text/text.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Listing } from '../../ui/listing.tsx'
import { useVaultNames } from '../vaults/vault-names.ts'
import { useCancelJob, useJobs } from './job-queries.ts'
import { JobRow } from './job-row.tsx'

interface JobListProps {
  label: string
  empty: { title: string; text: string }
  /** Which of all jobs. */
  isShown?: (job: Job) => boolean
}

/** Jobs, watched while they go on. */
export function JobList({ label, empty, isShown }: JobListProps) {
  const vaultName = useVaultNames()
  const cancelling = useSignal<Job | null>(null)
  return (
    <>
      <Listing label={label} pages={useJobs()} {...(isShown && { isShown })} empty={empty}>
        {(job) => (
          <JobRow
            key={job.id}
            job={job}
            vaultName={vaultName}
            onCancel={() => {
              cancelling.value = job
            }}
          />
        )}
      </Listing>
      {cancelling.value !== null && (
        <CancelJobDialog
          job={cancelling.value}
          onClose={() => {
            cancelling.value = null
          }}
        />
      )}
    </>
  )
}

function CancelJobDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const t = text.value.jobs
  return (
    <ConfirmDialog
      title={t.cancelTitle(t.kinds[job.kind])}
      text={t.cancelText}
      submit={t.cancel}
      change={useCancelJob(onClose)}
      input={job}
      onClose={onClose}
    />
  )
}
