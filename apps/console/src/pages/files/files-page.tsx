import { useSignal } from '@preact/signals'
import type { Vault } from '@tideport/sdk'
import { useEffect } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { PageProps } from '../../app/page-props.ts'
import { isPrivateVault } from '../../private/private-vaults.ts'
import { unlocked } from '../../private/vault-lock.ts'
import { text } from '../../text/text.ts'
import { FailedPage } from '../../ui/failed-page.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { useSelection } from '../../ui/selection.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { tellWhenUploaded } from '../../uploads/send-uploads.ts'
import { Crumbs } from './crumbs.tsx'
import { DropZone } from './drop-zone.tsx'
import { EntryGrid } from './entry-grid.tsx'
import { FileDialogs, type OpenDialog } from './file-dialogs.tsx'
import { refreshFiles, useVault } from './file-queries.ts'
import { FileTools } from './file-tools.tsx'
import { isFiltered, usePlace } from './place.ts'
import { SelectionBar } from './selection-bar.tsx'
import { Unfinished } from './unfinished.tsx'
import { useEntries } from './use-entries.ts'
import './files.css'

export default function FilesPage({ params }: PageProps) {
  const vaultId = params.vaultId ?? ''
  const vault = useVault(vaultId)
  useEffect(() => tellWhenUploaded(refreshFiles), [])
  if (vault.data !== undefined) return <Files vaultId={vaultId} vault={vault.data} />
  return vault.error === null ? <Spinner /> : <FailedPage error={vault.error} onRetry={() => void vault.refetch()} />
}

function Files({ vaultId, vault: { name, visibility } }: { vaultId: string; vault: Vault }) {
  const t = text.value.files
  const [place, go] = usePlace(vaultId)
  const { list, entries, gapAt, hasMore, failed, more, see } = useEntries(vaultId, place)
  const selection = useSelection(entries, ({ key }) => key, JSON.stringify(place))
  const open = useSignal<OpenDialog | null>(null)
  const target = { vaultId, folder: place.folder }
  const isPrivate = isPrivateVault(vaultId)
  // A service that calls a private vault public may want what is in its files.
  const isContradicted = isPrivate && visibility !== 'private'
  const mayUpload = !isContradicted && (!isPrivate || unlocked.value.has(vaultId))
  const tools = { target, mayUpload, place, go, open }
  return (
    <DropZone target={target} isOff={!mayUpload}>
      <PageHead title={name} />
      <Crumbs vaultId={vaultId} vault={name} folder={place.folder} />
      <FileTools {...tools} />
      {isContradicted && (
        <p class="card files-lock" role="alert">
          <Icon name="lock" />
          <span>{t.saidPublic}</span>
        </p>
      )}
      {!mayUpload && !isContradicted && (
        <p class="hint">
          {t.privateText} <Link href={`/vaults/${vaultId}/key`}>{text.value.privacy.unlock}</Link>
        </p>
      )}
      <Unfinished target={target} mayUpload={mayUpload} />
      <SelectionBar
        vaultId={vaultId}
        folder={hasMore && !isFiltered(place) ? place.folder : null}
        selection={selection}
        open={open}
      />
      {list.isPending && <Spinner />}
      {list.error !== null && list.data === undefined && (
        <Failure error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.data !== undefined && (
        <EntryGrid
          entries={entries}
          selection={selection}
          place={place}
          go={go}
          open={open}
          hasMore={hasMore}
          gapAt={gapAt}
          onNearMore={more}
          onSight={see}
          mayUpload={mayUpload}
        />
      )}
      {failed !== null && <Failure error={failed.error} onRetry={() => void failed.fetchNextPage()} />}
      <FileDialogs vaultId={vaultId} folder={place.folder} open={open} onDone={selection.clear} />
    </DropZone>
  )
}
