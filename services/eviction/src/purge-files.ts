import { type PurgeDeps, purgeFile } from '@tideport/file-lifecycle/purge-file'
import type { Log } from '@tideport/service-kit/logger'
import { sql } from 'kysely'
import { drain, isUnclaimed } from './drain.ts'

/** Carries on every purge whose next pass is due. */
export async function purgeFiles(deps: PurgeDeps & { log: Log }, signal: AbortSignal): Promise<void> {
  const due = (limit: number) => sql<{ id: string }>`
    select id from file
    where purge_due_at <= now() and purging_at is not null and ${isUnclaimed}
    order by purge_due_at limit ${limit}`
  await drain(deps.db, signal, due, async (fileId) => {
    const outcome = await purgeFile(deps, fileId, signal)
    deps.log.info({ fileId, outcome }, 'purge carried on')
  })
}
