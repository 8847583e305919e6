import './file.css'
import { ApiError } from '@tideport/sdk'
import type { PageProps } from '../../app/page-props.ts'
import { FailedPage } from '../../ui/failed-page.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Copies } from './copies.tsx'
import { Digests } from './digests.tsx'
import { FileHead } from './file-head.tsx'
import { useFile } from './file-queries.ts'
import { Labels } from './labels.tsx'
import { Links } from './links.tsx'
import { MissingFile } from './missing-file.tsx'
import { Preview } from './preview/preview.tsx'
import { StateLine } from './state-line.tsx'
import { Timeline } from './timeline.tsx'
import { Versions } from './versions.tsx'

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
