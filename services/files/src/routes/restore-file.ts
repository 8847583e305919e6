import { restoreFile } from '@tideport/contracts/public/trash'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { restoreFile as takeOutOfTrash } from '@tideport/file-lifecycle/removal/trash'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { FilesConfig } from '../config.ts'
import { findKeptFile } from '../files/find-trash.ts'
import { type ShowDeps, showFile } from '../files/show-files.ts'
import { toFile } from '../files/views.ts'

interface Deps extends ShowDeps {
  relay: Pick<Relay, 'wake'>
  config: Pick<FilesConfig, 'downloadUrlSeconds' | 'clockSkewSeconds'>
}

/** `POST /api/files/:fileId/restore`. A file that is not in the trash is answered as it is. */
export function restoreFileRoute({ relay, config, ...shown }: Deps) {
  const { db, networks } = shown
  const evictWaitSeconds = config.downloadUrlSeconds + config.clockSkewSeconds
  return serve(restoreFile, async ({ principal: { accountId }, params: { fileId } }) => {
    const restored = await takeOutOfTrash(db, { accountId, fileId }, { evictWaitSeconds, networks })
    if (restored) {
      relay.wake()
      return await showFile(shown, restored, toFile)
    }
    const kept = await findKeptFile(db, accountId, fileId)
    if (kept === null) throw notFound()
    if (kept.isVaultTrashed) {
      const vaultId = kept.file.vaultId
      throw new AppError('state_conflict', 'The vault of the file is in the trash; restore the vault', {
        details: { vaultId },
      })
    }
    return await showFile(shown, kept.file, toFile)
  })
}
