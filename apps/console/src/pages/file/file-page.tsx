import './file.css'
import { ApiError } from '@tideport/sdk'
import { useLocation } from 'wouter-preact'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { FailedPage } from '../../ui/failed-page.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import type { PageProps } from '../page-props.ts'
import { Copies } from './copies.tsx'
import { useRestoreFile } from './file-changes.ts'
import { FileHead } from './file-head.tsx'
import { useFile } from './file-queries.ts'
import { Digests, Versions } from './identity.tsx'
import { Labels } from './labels.tsx'
import { Links } from './links.tsx'
import { Preview } from './preview/preview.tsx'
import { StateLine } from './state-line.tsx'
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

/** A trashed file cannot be read, but its id is enough to restore it. */
function MissingFile({ fileId }: { fileId: string }) {
  const t = text.value.file
  const { mutate, isPending } = useRestoreFile()
  const [, navigate] = useLocation()
  return (
    <PageHead title={t.missingTitle} lead={t.missingText}>
      <Button busy={isPending} onClick={() => mutate({ fileId }, { onSuccess: () => navigate(`/files/${fileId}`) })}>
        {t.restore}
      </Button>
    </PageHead>
  )
}
