import './file.css'
import { ApiError } from '@tideport/sdk'
import { useLocation } from 'wouter-preact'
import { dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { FailedPage } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import type { PageProps } from '../page-props.ts'
import { Copies } from './copies.tsx'
import { useRestoreFile } from './file-changes.ts'
import { FileHead } from './file-head.tsx'
import { type FileView, useFile } from './file-queries.ts'
import { Digests, Versions } from './identity.tsx'
import { Labels } from './labels.tsx'
import { Links } from './links.tsx'
import { Preview } from './preview/preview.tsx'
import { Timeline } from './timeline.tsx'

export default function FilePage({ params: { fileId = '' } }: PageProps) {
  const { data: view, error, refetch } = useFile(fileId)
  if (view === undefined) {
    if (error instanceof ApiError && error.code === 'not_found') return <MissingFile fileId={fileId} />
    return error === null ? <Spinner /> : <FailedPage error={error} onRetry={() => void refetch()} />
  }
  const { file, copies } = view
  const isTrashed = file.deletedAt !== null
  return (
    <>
      <FileHead file={file} />
      <StateLine view={view} />
      <Preview file={file} />
      <div class="file-columns">
        <div class="file-column">
          <Labels file={file} />
          <Digests file={file} />
          <Versions file={file} />
          {!isTrashed && <Links file={file} />}
        </div>
        <div class="file-column">
          {!isTrashed && <Copies copies={copies} />}
          <Timeline view={view} />
        </div>
      </div>
    </>
  )
}

function MissingFile({ fileId }: { fileId: string }) {
  const t = text.value.file
  const { mutate, isPending } = useRestoreFile()
  const [, navigate] = useLocation()
  return (
    <PageHead title={t.missingTitle} lead={t.missingText}>
      <Button
        busy={isPending}
        onClick={() => mutate({ fileId }, { onSuccess: () => navigate(`/files/${fileId}`) })}
        text={t.restore}
      />
    </PageHead>
  )
}

const steps = ['uploading', 'hot', 'synced', 'cold'] as const

function StateLine({ view: { file } }: { view: FileView }) {
  const { app, file: t, files } = text.value
  const at =
    file.status === 'error' ? steps.indexOf(file.syncedAt === null ? 'hot' : 'synced') : steps.indexOf(file.status)
  const sentence = sentenceOf(file)
  return (
    <section class={`card file-state file-state-${file.status}`} aria-label={app.state}>
      <ol class="file-state-steps" aria-hidden="true">
        {steps.map((step, index) => (
          <li key={step} data-step={index < at ? 'past' : index === at ? 'now' : 'to-come'}>
            {step === 'uploading' && file.status !== 'uploading' ? t.uploaded : files.states[step]}
          </li>
        ))}
      </ol>
      <p role="status">
        <strong>{file.deletedAt === null ? files.states[file.status] : t.inTrash}.</strong> {sentence}
      </p>
      {file.error !== null && <p class="form-error">{file.error}</p>}
    </section>
  )
}

function sentenceOf(file: FileView['file'] & { purgeDueAt?: string | null }): string {
  const t = text.value.file
  if (file.deletedAt !== null) return file.purgeDueAt ? t.purgedAt(dateTime(file.purgeDueAt)) : ''
  if (file.rehydrating) return t.isRehydrating
  if (file.status === 'cold' && file.inHotCache) return t.isRehydrated
  return t.stateTexts[file.status]
}
