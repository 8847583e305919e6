import './files.css'
import type { Vault } from '@tideport/sdk'
import { useEffect } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { isPrivateVault } from '../../kept/private-vaults.ts'
import { unlocked } from '../../private/vault-lock.ts'
import { text } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Failure, Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { useSelection } from '../../ui/selection.ts'
import { useDialog } from '../../ui/use-dialog.tsx'
import { tellWhenUploaded } from '../../uploads/send-uploads.ts'
import type { PageProps } from '../page-props.ts'
import { DropZone } from './drop-zone.tsx'
import { crumbsOf } from './entries.ts'
import { EntryGrid } from './entry-grid.tsx'
import { type FileQuestion, fileForm } from './file-forms.tsx'
import { refreshFiles, useVault } from './file-queries.ts'
import { FileTools } from './file-tools.tsx'
import { addressOf, isFiltered, usePlace } from './place.ts'
import { SelectionBar } from './selection-bar.tsx'
import { Unfinished } from './unfinished.tsx'
import { useEntries } from './use-entries.ts'

export default function FilesPage({ params }: PageProps) {
  const vaultId = params.vaultId ?? ''
  useEffect(() => tellWhenUploaded(refreshFiles), [])
  return (
    <Loaded query={useVault(vaultId)} isPage>
      {(vault) => <Files vaultId={vaultId} vault={vault} />}
    </Loaded>
  )
}

function Files({ vaultId, vault: { name, visibility } }: { vaultId: string; vault: Vault }) {
  const t = text.value.files
  const [place, go] = usePlace(vaultId)
  const { list, failed, ...shown } = useEntries(vaultId, place)
  const { entries, hasMore } = shown
  const selection = useSelection(entries, ({ key }) => key, JSON.stringify(place))
  const { dialog, ask: askBy } = useDialog()
  const ask = (question: FileQuestion) =>
    askBy({ ...fileForm(vaultId, place.folder, question), onDone: selection.clear })
  const target = { vaultId, folder: place.folder }
  const isPrivate = isPrivateVault(vaultId)
  // A dishonest service may report a private vault as public to get unencrypted contents.
  const isContradicted = isPrivate && visibility !== 'private'
  const mayUpload = !isContradicted && (!isPrivate || unlocked.value.has(vaultId))
  const tools = { target, mayUpload, place, go, ask }
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
        ask={ask}
      />
      <Loaded query={list}>
        {() => <EntryGrid {...shown} selection={selection} place={place} go={go} ask={ask} mayUpload={mayUpload} />}
      </Loaded>
      {failed !== null && <Failure error={failed.error} onRetry={() => void failed.fetchNextPage()} />}
      {dialog}
    </DropZone>
  )
}

function Crumbs({ vaultId, vault, folder }: { vaultId: string; vault: string; folder: string }) {
  const crumbs = [{ name: vault, path: '' }, ...crumbsOf(folder)]
  return (
    <nav class="crumbs" aria-label={text.value.files.top}>
      <ol>
        <li>
          <Link href="/">{text.value.nav.vaults}</Link>
        </li>
        {crumbs.map(({ name, path }) => (
          <li key={path}>
            <Link href={addressOf(vaultId, { folder: path })} aria-current={path === folder ? 'page' : undefined}>
              {name}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}
