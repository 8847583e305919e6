import { useSignal } from '@preact/signals'
import type { FileRecord } from '@tideport/sdk'
import { Link, useLocation } from 'wouter-preact'
import { useCommands } from '../../commands/commands.ts'
import { isPrivateVault } from '../../private/private-vaults.ts'
import { bytes, dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { DeleteDialog, TrashDialog } from './end-dialogs.tsx'
import { useMend, usePublishFile, useRestoreFile } from './file-mutations.ts'
import { useVaultOf } from './file-queries.ts'
import { MoveDialog } from './move-dialog.tsx'
import { useSave } from './use-save.ts'

type Open = 'move' | 'trash' | 'delete' | null

/** What the file is called, where it is, and what can be done with all of it. */
export function FileHead({ file }: { file: FileRecord }) {
  const t = text.value.file
  const open = useSignal<Open>(null)
  const [, navigate] = useLocation()
  const close = () => {
    open.value = null
  }
  return (
    <>
      <PageHead title={file.name}>
        {file.deletedAt === null ? <LiveActions file={file} open={open} /> : <TrashActions file={file} open={open} />}
      </PageHead>
      <Place file={file} />
      <p class="hint file-facts">
        {bytes(file.plaintextSizeBytes ?? file.sizeBytes)} · <bdi>{file.mimeType}</bdi> ·{' '}
        {t.made(dateTime(file.createdAt))}
      </p>
      {file.awaitingReview && <p class="hint file-facts">{text.value.file.awaitingReview}</p>}
      <ServiceWrote file={file} />
      {open.value === 'move' && <MoveDialog file={file} onClose={close} />}
      {open.value === 'trash' && <TrashDialog file={file} onClose={close} />}
      {open.value === 'delete' && (
        <DeleteDialog file={file} onClose={close} onDone={() => navigate(`/vaults/${file.vaultId}`)} />
      )}
    </>
  )
}

type ActionsProps = { file: FileRecord; open: { value: Open } }

function LiveActions({ file, open }: ActionsProps) {
  const t = text.value.file
  const retry = useMend('retry')
  const rehydrate = useMend('rehydrate')
  const publish = usePublishFile()
  const isThere = file.status !== 'uploading'
  const mayRehydrate = file.status === 'cold' && !file.inHotCache && !file.rehydrating
  const move = () => {
    open.value = 'move'
  }
  const { label, save, share } = useSave(file)
  useCommands([...(isThere ? [{ label, key: 'd', run: save }] : []), { label: t.move, key: 'r', run: move }])
  return (
    <>
      {file.status === 'error' && (
        <Button look="main" busy={retry.isPending} onClick={() => retry.mutate(file)}>
          {t.retry}
        </Button>
      )}
      {isThere && file.awaitingReview && (
        <Button busy={publish.isPending} onClick={() => publish.mutate(file)}>
          {t.publish}
        </Button>
      )}
      {isThere && (
        <Button look={file.status === 'error' ? 'normal' : 'main'} keys="d" busy={share.value !== null} onClick={save}>
          {label}
        </Button>
      )}
      {share.value !== null && <progress value={share.value} aria-label={text.value.privacy.saving} />}
      {mayRehydrate && (
        <Button busy={rehydrate.isPending} onClick={() => rehydrate.mutate(file)}>
          {t.rehydrate}
        </Button>
      )}
      <Button keys="r" onClick={move}>
        {t.move}
      </Button>
      <Button
        onClick={() => {
          open.value = 'trash'
        }}
      >
        {t.trash}
      </Button>
    </>
  )
}

function TrashActions({ file, open }: ActionsProps) {
  const t = text.value.file
  const restore = useRestoreFile()
  return (
    <>
      <Button look="main" busy={restore.isPending} onClick={() => restore.mutate({ fileId: file.id })}>
        {t.restore}
      </Button>
      <Button
        look="danger"
        onClick={() => {
          open.value = 'delete'
        }}
      >
        {t.delete}
      </Button>
    </>
  )
}

/** Nobody but the service vouches for a file of a private vault that is not encrypted. */
function ServiceWrote({ file }: { file: FileRecord }) {
  // Its response tells.
  useVaultOf(file)
  return isPrivateVault(file.vaultId) && file.wrappedKey === null ? (
    <p class="hint file-facts">{text.value.privacy.byService}</p>
  ) : null
}

/** The way to the file: its vault, and its folders. */
function Place({ file }: { file: FileRecord }) {
  const { data: vault } = useVaultOf(file)
  const folders = file.path.slice(0, -file.name.length)
  return (
    <p class="file-place">
      <Link href={`/vaults/${file.vaultId}`}>
        <bdi>{vault?.name ?? text.value.file.vault}</bdi>
      </Link>
      {folders !== '' && (
        <>
          {' / '}
          <bdi>{folders}</bdi>
        </>
      )}
    </p>
  )
}
