import { type ExportAccountInput, type ExportTarget, exportAccount } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { toast } from '../../api/toasts.ts'
import { usePages } from '../../api/use-pages.ts'
import { text } from '../../text/text.ts'
import { choicesOf } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { type FormField, typedIn } from '../../ui/form-fields.tsx'
import { Listing } from '../../ui/listing.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { useDialog } from '../../ui/use-dialog.tsx'
import { JobRow } from '../jobs/job-row.tsx'
import { jobsQuery, watched } from '../jobs/progress.ts'
import { CommandButton } from '../resource/command-button.tsx'
import { useVaultNames } from '../vaults/vault-queries.ts'
import { Manifest } from './manifest.tsx'

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

const day = 86_400
/** How long the export is kept, in seconds; null: until the user deletes its files. */
const lives = { week: 7 * day, month: 30 * day, ever: null } as const
type Life = keyof typeof lives

function StartDialog({ onClose }: { onClose: () => void }) {
  const t = text.value.export
  const [where, setWhere] = useState('vault')
  const isToBucket = where === 'bucket'
  const choices = [
    { value: 'vault', label: t.toVault, hint: t.startText },
    { value: 'bucket', label: t.toBucket, hint: t.toBucketText },
  ]
  const wantedIn = (fields: FormData): ExportAccountInput =>
    isToBucket
      ? { target: bucketIn(fields) }
      : { filesExpireAfterSeconds: lives[fields.get('filesExpireAfterSeconds') as Life] }
  return (
    <FormDialog
      title={t.start}
      submit={t.start}
      fields={[
        { kind: 'choices', name: 'where', label: t.where, choices, onChange: setWhere },
        ...(isToBucket ? bucketFields() : [lifeField()]),
      ]}
      run={(fields) => exportAccount(client(), wantedIn(fields))}
      changes={['jobs']}
      onDone={() => toast(t.started)}
      onClose={onClose}
    />
  )
}

function lifeField(): FormField {
  const t = text.value.export
  const choices = choicesOf(Object.keys(lives) as Life[], t.lives)
  return { kind: 'select', name: 'filesExpireAfterSeconds', label: t.life, choices, value: 'month' }
}

function bucketFields(): FormField[] {
  const t = text.value.export
  const plain = { autocapitalize: 'off', spellcheck: false } as const
  const needed = { ...plain, required: true }
  return [
    { name: 'endpoint', label: t.endpoint, hint: t.endpointHint, type: 'url', ...plain },
    { name: 'region', label: t.region, defaultValue: 'us-east-1', ...needed },
    { name: 'bucket', label: t.bucket, ...needed },
    { name: 'prefix', label: t.prefix, hint: t.prefixHint, ...plain },
    { name: 'accessKeyId', label: t.accessKeyId, ...needed },
    { name: 'secretAccessKey', label: t.secretAccessKey, hint: t.secretHint, type: 'password', ...needed },
  ]
}

function bucketIn(fields: FormData): ExportTarget {
  const endpoint = typedIn(fields, 'endpoint')
  return {
    type: 's3',
    ...(endpoint !== '' && { endpoint }),
    region: typedIn(fields, 'region'),
    bucket: typedIn(fields, 'bucket'),
    prefix: typedIn(fields, 'prefix'),
    accessKeyId: typedIn(fields, 'accessKeyId'),
    secretAccessKey: typedIn(fields, 'secretAccessKey'),
  }
}
