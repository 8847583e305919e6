import { postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { emptyTrash } from '@tideport/contracts/public/trash'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { type PurgedBatch, purgeTrash } from '@tideport/file-lifecycle/removal/purge'
import { purgeTrashedVaults } from '@tideport/file-lifecycle/removal/trash-vault'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { withWaitBudget } from '@tideport/service-kit/context/request-context'
import { WaitBudget } from '@tideport/service-kit/context/wait-budget'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import type { SlowCalls } from '../calls/slow-calls.ts'
import type { FilesConfig } from '../config.ts'

interface Deps {
  db: Kysely<FilesDb>
  slowCalls: SlowCalls
  relay: Pick<Relay, 'wake'>
  networks: Networks
  config: Pick<FilesConfig, 'settleSeconds'>
}

/** `DELETE /api/trash`. Can be repeated after an interruption. Each batch may take as long as a request. */
export function emptyTrashRoute({ db, slowCalls, relay, networks, config }: Deps) {
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
