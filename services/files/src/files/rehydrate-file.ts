import { rehydrateFile } from '@tideport/contracts/public/file-actions'
import { requestRehydration } from '@tideport/file-lifecycle/rehydrate/rehydrate-file'
import { type ShowDeps, showFile, toFile } from '@tideport/file-lifecycle/views/file-views'
import { serve } from '@tideport/service-kit/http/route'
import { type FileSeen, getOwnFile } from '../lookups/find-file.ts'
import type { AnnounceDeps } from './announce-work.ts'

export function rehydrateFileRoute({ db, networks, announce }: AnnounceDeps & ShowDeps) {
  const shown = { db, networks }
  return serve(rehydrateFile, async ({ principal, params }) => {
    for (;;) {
      const file = await getOwnFile(db, principal.accountId, params.fileId)
      if (!isWanting(file)) return await showFile(shown, file, toFile)
      const requested = await requestRehydration(db, file)
      if (requested === null) continue
      announce(requested.id, [{ step: 'rehydrate' }])
      return await showFile(shown, requested, toFile)
    }
  })
}

/** Bytes that are being removed from the hot tier count as removed. */
function isWanting(file: FileSeen): boolean {
  return file.status === 'cold' && file.rehydrateDueAt === null && (file.hotKey === null || file.evictingAt !== null)
}
