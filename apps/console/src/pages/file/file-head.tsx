import { deleteFile, type FileRecord, updateFile, type WrittenFile } from '@tideport/sdk'
import { Link, useLocation } from 'wouter-preact'
import { client } from '../../api/client.ts'
import { toast } from '../../api/toasts.ts'
import { isPrivateVault } from '../../kept/private-vaults.ts'
import { bytes, dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { type Ask, type Asked, useDialog } from '../../ui/use-dialog.tsx'
import { useVault } from '../files/file-queries.ts'
import { CommandButton } from '../resource/command-button.tsx'
import { noteChange, noteDeleted, noteSaved, useMend, usePublishFile, useRestoreFile } from './file-changes.ts'
import { useSave } from './use-save.ts'

export function FileHead({ file }: { file: FileRecord }) {
  const t = text.value.file
  const { dialog, ask } = useDialog()
  const Actions = file.deletedAt === null ? LiveActions : TrashActions
  return (
    <>
      <PageHead title={file.name}>
        <Actions file={file} ask={ask} />
      </PageHead>
      <Place file={file} />
      <p class="hint file-facts">
        {bytes(file.plaintextSizeBytes ?? file.sizeBytes)} · <bdi>{file.mimeType}</bdi> ·{' '}
        {t.made(dateTime(file.createdAt))}
      </p>
      {file.awaitingReview && <p class="hint file-facts">{t.awaitingReview}</p>}
      <ServiceWrote file={file} />
      {dialog}
    </>
  )
}

type ActionsProps = { file: FileRecord; ask: Ask }

function LiveActions({ file, ask }: ActionsProps) {
  const { app, file: t } = text.value
  const retry = useMend('retry')
  const rehydrate = useMend('rehydrate')
  const publish = usePublishFile()
  const isFailed = file.status === 'error'
  const isThere = file.status !== 'uploading'
  const mayRehydrate = file.status === 'cold' && !file.inHotCache && !file.rehydrating
  const { label, save, share } = useSave(file)
  const restore = useRestoreFile()
  const trash = () => ask(trashForm(file, () => restore.mutate({ fileId: file.id })))
  return (
    <>
      {isFailed && <Button look="main" busy={retry.isPending} onClick={() => retry.mutate(file)} text={app.retry} />}
      {isThere && file.awaitingReview && (
        <Button busy={publish.isPending} onClick={() => publish.mutate(file)} text={app.publish} />
      )}
      {isThere && (
        <CommandButton
          look={isFailed ? 'normal' : 'main'}
          keys="d"
          label={label}
          busy={share.value !== null}
          run={save}
        />
      )}
      {share.value !== null && <progress value={share.value} aria-label={text.value.privacy.saving} />}
      {mayRehydrate && <Button busy={rehydrate.isPending} onClick={() => rehydrate.mutate(file)} text={t.rehydrate} />}
      <CommandButton keys="r" label={t.move} run={() => ask(moveForm(file))} />
      <Button onClick={trash} text={app.trash} />
    </>
  )
}

function TrashActions({ file, ask }: ActionsProps) {
  const t = text.value.file
  const restore = useRestoreFile()
  const [, navigate] = useLocation()
  const remove = () => ask(deletionForm(file, () => navigate(`/vaults/${file.vaultId}`)))
  return (
    <>
      <Button
        look="main"
        busy={restore.isPending}
        onClick={() => restore.mutate({ fileId: file.id })}
        text={t.restore}
      />
      <Button look="danger" onClick={remove} text={t.delete} />
    </>
  )
}

/** Nothing proves who wrote an unencrypted file in a private vault: only the service vouches for the file. */
function ServiceWrote({ file }: { file: FileRecord }) {
  // The query records whether the vault is private.
  useVault(file.vaultId)
  return isPrivateVault(file.vaultId) && file.wrappedKey === null ? (
    <p class="hint file-facts">{text.value.privacy.byService}</p>
  ) : null
}

function Place({ file }: { file: FileRecord }) {
  const { data: vault } = useVault(file.vaultId)
  const folders = file.path.slice(0, -file.name.length)
  return (
    <p class="file-place">
      <Link href={`/vaults/${file.vaultId}`}>
        <bdi>{vault?.name ?? text.value.app.vault}</bdi>
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

function moveForm({ id, path }: FileRecord): Asked<WrittenFile> {
  const t = text.value.file
  const field = { required: true, defaultValue: path, spellcheck: false }
  return {
    title: t.moveTitle,
    submit: t.move,
    fields: [{ name: 'path', label: t.path, hint: t.pathHint, ...field }],
    run: (fields) => updateFile(client(), { fileId: id, path: String(fields.get('path')), onConflict: 'fail' }),
    onAnswer: noteSaved,
  }
}

function trashForm({ id, name, status }: FileRecord, undo: () => void): Asked<WrittenFile> {
  const { app, file: t } = text.value
  return {
    title: app.trashTitle(isolated(name)),
    text: status === 'uploading' ? t.trashUploadText : t.trashText,
    submit: app.trash,
    run: () => deleteFile(client(), { fileId: id }),
    onAnswer: (trashed) => {
      noteChange(trashed)
      toast(app.trashed(isolated(name)), { label: app.undo, run: undo })
    },
  }
}

function deletionForm({ id, name }: FileRecord, onDeleted: () => void): Asked {
  const t = text.value.file
  return {
    title: t.deleteTitle(isolated(name)),
    text: t.deleteText,
    submit: t.delete,
    danger: true,
    run: () => deleteFile(client(), { fileId: id, permanent: true }),
    onAnswer: () => {
      noteDeleted(id)
      onDeleted()
      toast(t.deleted(isolated(name)))
    },
  }
}
