import { updateFile } from '@tideport/contracts/public/file-actions'
import { isTooLong, tooLong } from '@tideport/contracts/public/paths'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { editFile, type FileEdit, moveFile, takePlace } from '@tideport/file-lifecycle/state/edit-file'
import { untilTaken } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb, OnConflict } from '@tideport/file-lifecycle/state/tables'
import { type ShowDeps, showFile, toFile } from '@tideport/file-lifecycle/views/file-views'
import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { assertMay } from '../calls/enforce-key-limits.ts'
import type { FilesConfig } from '../config.ts'
import { getLiveVault, targetOf } from '../lookups/authorized-vault.ts'
import { findOwnFile, getOwnFile } from '../lookups/find-file.ts'
import { assertUnchanged, recordEtag } from './conditions.ts'
import { checkEnd, checkPath, mergedLabels, placeOf } from './file-fields.ts'

interface Deps extends ShowDeps {
  relay: Pick<Relay, 'wake'>
  config: Pick<FilesConfig, 'trashRetentionSeconds'>
}

type Body = RouteInput<typeof updateFile>['body'] & { ifMatch: string | undefined }

/**
 * `PATCH /api/files/:fileId`: changes path, vault, wrapped key, labels, and expiry. The bytes and links do not change.
 */
export function updateFileRoute(deps: Deps) {
  const { db } = deps
  return serve(updateFile, async ({ principal, params, headers, body: fields, reply }) => {
    const { accountId } = principal
    const body = { ...fields, ifMatch: headers['if-match'] }
    const file = await getOwnFile(db, accountId, params.fileId)
    assertUnchanged(file, body.ifMatch)
    if (isOtherUpload(file, body)) assertMay(principal, 'replaces')
    checkEnd(body.expiresAt, 'body')
    if (body.wrappedKey !== undefined && file.wrappedKey === null) throw notEncrypted()
    const edited = await edit(deps, file, body)
    if (edited) {
      reply.header('etag', recordEtag(edited))
      return await showFile(deps, edited, toFile)
    }
    assertUnchanged(await getOwnFile(db, accountId, file.id), body.ifMatch)
    throw new AppError('state_conflict', 'The file or a vault was moved or trashed during the request')
  })
}

async function edit(deps: Deps, file: FileRow, { vaultId, ...body }: Body): Promise<FileRow | null> {
  const { db } = deps
  const { onConflict, wrappedKey, expiresAt, ifMatch } = body
  const isOfRevision = ifMatch !== undefined
  const at = atOf(file, body)
  const write = (current: FileRow, more: FileEdit) =>
    untilMerged(db, current, (again) => {
      assertUnchanged(again, ifMatch)
      return editFile(db, again, { ...more, wrappedKey, expiresAt, isOfRevision, ...mergedLabels(again, body) })
    })
  if (vaultId !== undefined && vaultId !== file.vaultId) {
    const source = await getLiveVault(db, file.accountId, file.vaultId)
    const targetId = await targetOf(db, source, vaultId)
    const edit = { at, wrappedKey, expiresAt, isOfRevision, ...mergedLabels(file, body) }
    return await moveFile(db, file, { vaultId: targetId, ...edit })
  }
  const isTaking = at !== undefined && file.status !== 'uploading' && onConflict !== undefined && onConflict !== 'keep'
  if (!isTaking) return await write(file, { at })
  return await take(deps, file, { ...at, onConflict }, (current) => {
    assertUnchanged(current, ifMatch)
    return { wrappedKey, expiresAt, isOfRevision, ...mergedLabels(current, body) }
  })
}

/** Whether an upload with `onConflict: replace` gets another place, where it may replace a different file. */
function isOtherUpload(file: FileRow, { name, path, vaultId, onConflict = file.onConflict }: Body): boolean {
  const isMoved = [name, path, vaultId].some((place) => place !== undefined)
  return file.status === 'uploading' && isMoved && onConflict === 'replace'
}

/** Undefined: the path does not change. */
function atOf(file: FileRow, { name, path, onConflict }: Pick<Body, 'name' | 'path' | 'onConflict'>): FileEdit['at'] {
  const { folder } = file
  const place = path === undefined ? { folder, name: name ?? file.name } : placeOf(path)
  const isThere = place.folder + place.name === file.path
  if (isThere && (onConflict === undefined || file.status !== 'uploading')) return undefined
  if (isTooLong(place.folder + place.name)) throw pathTooLong()
  return { ...place, onConflict }
}

async function take(
  { db, relay, networks, config }: Deps,
  file: FileRow,
  at: { folder: string; name: string; onConflict: OnConflict },
  editOf: (current: FileRow) => Omit<FileEdit, 'at'>,
): Promise<FileRow | null> {
  const path = at.folder + at.name
  const refuse = ({ accountId, vaultId }: FileRow) =>
    checkPath(db, { accountId, vaultId, path, onConflict: at.onConflict })
  await refuse(file)
  const taking = { ...at, networks, retentionSeconds: config.trashRetentionSeconds }
  const taken = await untilTaken(
    db,
    file,
    (current) => takePlace(db, current, { ...taking, edit: editOf(current) }),
    async (again) => {
      await refuse(again)
      return (await findOwnFile(db, again.accountId, again.id)) !== null
    },
  )
  relay.wake()
  return taken
}

/** Attempts to merge labels while other requests change the file. */
const MERGES_MAX = 20

async function untilMerged(
  db: Kysely<FilesDb>,
  file: FileRow,
  write: (current: FileRow) => Promise<FileRow | null>,
): Promise<FileRow | null> {
  let current: FileRow | null = file
  for (let merge = 0; current !== null && merge < MERGES_MAX; merge += 1) {
    const written = await write(current)
    if (written) return written
    current = await findOwnFile(db, file.accountId, file.id)
  }
  return null
}

const notEncrypted = () =>
  invalidInput('body', [{ path: 'wrappedKey', message: 'Must not be sent for a file in a public vault' }])
const pathTooLong = () => invalidInput('body', [{ path: 'name', message: tooLong.error, code: 'path_too_long' }])
