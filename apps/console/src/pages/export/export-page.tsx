import { usePages } from '../../api/use-pages.ts'
import { text } from '../../text/text.ts'
import { Listing } from '../../ui/listing.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { useDialog } from '../../ui/use-dialog.tsx'
import { JobRow } from '../jobs/job-row.tsx'
import { jobsQuery, watched } from '../jobs/progress.ts'
import { CommandButton } from '../resource/command-button.tsx'
import { useVaultNames } from '../vaults/vault-queries.ts'
import { Manifest } from './manifest.tsx'
import { StartDialog } from './start-dialog.tsx'

export default function ExportPage() {
  const t = text.value.export
  return (
    <>
      <PageHead title={text.value.nav.export} lead={t.lead} />
      <Manifest />
      <Exports />
    </>
  )
}

function Exports() {
  const t = text.value.export
  const vaultName = useVaultNames()
  const { dialog, ask } = useDialog()
  const start = () => ask((close) => <StartDialog onClose={close} />)
  return (
    <section class="section">
      <h2>{t.files}</h2>
      <p>{t.filesText}</p>
      <div class="row-actions">
        <CommandButton look="main" keys="n" label={t.start} run={start} />
      </div>
      <Listing
        label={t.files}
        pages={usePages(jobsQuery.queryKey, jobsQuery.read, watched)}
        empty={{ title: t.none, text: t.noneText }}
        isShown={({ kind }) => kind === 'export'}
      >
        {(job) => <JobRow key={job.id} job={job} vaultName={vaultName} ask={ask} />}
      </Listing>
      {dialog}
    </section>
  )
}
