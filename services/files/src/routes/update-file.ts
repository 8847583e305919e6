import { updateFile } from '@tideport/contracts/public/file-actions'
import { editFile, moveFile } from '@tideport/file-lifecycle/state/edit-file'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { validate as isUuid } from 'uuid'
import { findOwnFile } from '../files/find-live-file.ts'
import { type ShowDeps, showFile } from '../files/show-files.ts'
import { toFile } from '../files/views.ts'
import { findLiveVault } from '../vaults/find-live-vault.ts'

/** `PATCH /api/files/:fileId`: name, vault, wrapped key. The bytes and the links to them stay. */
export function updateFileRoute(shown: ShowDeps) {
  const { db } = shown
  return serve(updateFile, async ({ principal: { accountId }, params, body: { vaultId, ...edit } }) => {
    const file = await findOwnFile(db, accountId, params.fileId)
    if (file === null) throw notFound()
    if (edit.wrappedKey !== undefined && file.wrappedKey === null) throw notEncrypted()
    const isMove = vaultId !== undefined && vaultId !== file.vaultId
    if (isMove) await checkTarget(db, file, vaultId)
    const edited = isMove ? await moveFile(db, file, { vaultId, ...edit }) : await editFile(db, file, edit)
    if (edited) return await showFile(shown, edited, toFile)
    if ((await findOwnFile(db, accountId, file.id)) === null) throw notFound()
    throw new AppError('state_conflict', 'The file or one of the vaults was moved or thrown away meanwhile')
  })
}

/** Visibility is what a file's readers and its encryption rest on, so no move changes it. */
async function checkTarget(db: Kysely<FilesDb>, { accountId, vaultId }: FileRow, targetId: string): Promise<void> {
  const target = isUuid(targetId) ? await findLiveVault(db, accountId, targetId) : null
  const source = await findLiveVault(db, accountId, vaultId)
  if (target === null || source === null) throw notFound()
  if (target.visibility === source.visibility) return
  throw new AppError('visibility_mismatch', 'A file can only be moved to a vault of the same visibility', {
    details: { visibility: source.visibility },
  })
}

function notEncrypted(): AppError {
  const issues = [{ path: 'wrappedKey', message: 'Must not be sent for a file in a public vault' }]
  return new AppError('validation_failed', 'The request body is not valid', { details: { issues } })
}
