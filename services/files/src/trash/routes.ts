import { listTrash } from '@tideport/contracts/public/trash'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { type ShowDeps, showFiles } from '@tideport/file-lifecycle/views/file-views'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { sightOf } from '../calls/confine.ts'
import type { SlowCalls } from '../calls/slow-calls.ts'
import type { FilesConfig } from '../config.ts'
import type { PurgeNow } from '../files/purge-now.ts'
import { toTrashedFile } from '../files/trash-views.ts'
import { trashedFiles } from '../lists/file-lists.ts'
import { readFiles } from '../lists/read-files.ts'
import type { TrashedRow } from '../lookups/find-file.ts'
import { deleteFileRoute } from './delete-file.ts'
import { emptyTrashRoute } from './empty-trash.ts'
import { restoreFileRoute } from './restore-file.ts'

type Settings =
  | ('confirmLostSeconds' | 'settleSeconds' | 'trashRetentionSeconds')
  | ('downloadUrlSeconds' | 'clockSkewSeconds')

interface Deps extends ShowDeps {
  hotTier: HotTier
  purgeNow: PurgeNow
  slowCalls: SlowCalls
  relay: Pick<Relay, 'wake'>
  config: Pick<FilesConfig, Settings>
}

export function trashRoutes(deps: Deps) {
  return {
    deleteFile: deleteFileRoute(deps),
    restoreFile: restoreFileRoute(deps),
    listTrash: listTrashRoute(deps),
    emptyTrash: emptyTrashRoute(deps),
  } satisfies Partial<RoutesOf<'files'>>
}

function listTrashRoute(shown: ShowDeps) {
  const { db } = shown
  return serve(listTrash, async ({ principal, query: page, charge }) => {
    const list = await trashedFiles(db, { sight: sightOf(principal), filters: { sortBy: page.sortBy } })
    const named = { reader: principal.accountId, list: 'trash' }
    const { rows, nextCursor } = await readFiles<TrashedRow>(db, { page, named, list, charge })
    return { files: await showFiles(shown, rows, toTrashedFile), nextCursor }
  })
}
