import { postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { emptyTrash, listTrash } from '@tideport/contracts/public/trash'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { type PurgedBatch, purgeTrash } from '@tideport/file-lifecycle/removal/purge'
import { purgeTrashedVaults } from '@tideport/file-lifecycle/removal/trash-vault'
import { type ShowDeps, showFiles } from '@tideport/file-lifecycle/views/file-views'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { withWaitBudget } from '@tideport/service-kit/context/request-context'
import { WaitBudget } from '@tideport/service-kit/context/wait-budget'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { sightOf } from '../calls/enforce-key-limits.ts'
import type { SlowCalls } from '../calls/slow-calls.ts'
import type { FilesConfig } from '../config.ts'
import type { PurgeNow } from '../files/purge-now.ts'
import { toTrashedFile } from '../files/trash-views.ts'
import { trashedFiles } from '../lists/file-lists.ts'
import { readFiles } from '../lists/read-files.ts'
import type { TrashedRow } from '../lookups/find-file.ts'
import { deleteFileRoute } from './delete-file.ts'
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

/** `DELETE /api/trash`. Can be repeated after an interruption. Each batch may take as long as a request. */
function emptyTrashRoute({ db, slowCalls, relay, networks, config }: Deps) {
  const settle = { ...config, networks }
  const empty = async (accountId: string) => {
    const purgedVaults = await purgeTrashedVaults(db, accountId)
    let purgedFiles = 0
    let batch: PurgedBatch | undefined
    do {
      const after = batch?.end ?? null
      batch = await withWaitBudget(new WaitBudget(postgresWaitMs), () => purgeTrash(db, accountId, settle, after))
      purgedFiles += batch.purged
    } while (batch.end !== null)
    relay.wake()
    return { purgedFiles, purgedVaults }
  }
  return serve(emptyTrash, ({ principal: { accountId } }) => slowCalls.run(accountId, () => empty(accountId)))
}
