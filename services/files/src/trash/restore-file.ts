import { restoreFile } from '@tideport/contracts/public/trash'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { swapBack, restoreFile as takeOutOfTrash } from '@tideport/file-lifecycle/removal/trash'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { findOccupant } from '@tideport/file-lifecycle/state/take-path'
import { type ShowDeps, showFile, toFile } from '@tideport/file-lifecycle/views/file-views'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { assertMay, may } from '../calls/enforce-key-limits.ts'
import type { FilesConfig } from '../config.ts'
import { findKeptFile } from '../lookups/find-file.ts'

interface Deps extends ShowDeps {
  relay: Pick<Relay, 'wake'>
  config: Pick<FilesConfig, 'downloadUrlSeconds' | 'clockSkewSeconds' | 'trashRetentionSeconds'>
}

/** `POST /api/files/:fileId/restore`. A replaced file swaps with the file at its path. */
export function restoreFileRoute({ relay, config, ...shown }: Deps) {
  const { db, networks } = shown
  const evictWaitSeconds = config.downloadUrlSeconds + config.clockSkewSeconds
  const restoring = { evictWaitSeconds, networks }
  const show = async (restored: FileRow) => {
    relay.wake()
    return await showFile(shown, restored, toFile)
  }
  return serve(restoreFile, async ({ principal, params: { fileId } }) => {
    const { accountId } = principal
    const restored = await takeOutOfTrash(db, { accountId, fileId }, restoring)
    if (restored) return await show(restored)
    const kept = await findKeptFile(db, accountId, fileId)
    if (kept === null) throw notFound()
    if (kept.file.replacedBy !== null && kept.file.deletedAt !== null && !kept.isVaultTrashed) {
      const retentionSeconds = config.trashRetentionSeconds
      const onConflict = may(principal, 'replaces') ? 'replace' : 'fail'
      const swapped = await swapBack(db, kept.file, { ...restoring, retentionSeconds, onConflict })
      if (swapped) return await show(swapped)
      if ((await findOccupant(db, kept.file)) !== null) assertMay(principal, 'replaces')
      throw new AppError(
        'state_conflict',
        'The file or its vault was restored or deleted during the request. Try again.',
      )
    }
    if (kept.isVaultTrashed) {
      const vaultId = kept.file.vaultId
      throw new AppError('state_conflict', 'The vault of the file is in the trash. Restore the vault first.', {
        details: { vaultId },
      })
    }
    return await showFile(shown, kept.file, toFile)
  })
}
