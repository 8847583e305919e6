import { sql } from 'kysely'
import { fileRows } from '../work/claimable.ts'
import { type DrainDeps, drain } from '../work/drain.ts'
import { isPurgeDue, type PurgeDeps, passOver } from './purge-file.ts'

/** Carries on every purge whose next pass is due. */
export async function purgeFiles(deps: PurgeDeps & DrainDeps, signal: AbortSignal): Promise<boolean> {
  return await drain(deps, signal, {
    rows: fileRows,
    name: 'purge files',
    due: { where: isPurgeDue, by: sql`purge_due_at` },
    putOff: (until) => sql`claimed_until = null, purge_due_at = ${until}`,
    async visit(file) {
      const outcome = await passOver(deps, file, signal)
      deps.log.info({ fileId: file.id, outcome }, 'purge carried on')
    },
  })
}
