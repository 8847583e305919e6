import { listRuns } from '@tideport/contracts/public/operator-runs'
import type { OperatorRun } from '@tideport/file-lifecycle/repair/runs/operator-run'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { type Kysely, sql } from 'kysely'
import { readPage } from '../lists/list-page.ts'
import { toRun } from '../operator/run-view.ts'

/** `GET /api/operator/runs`, newest first. */
export function listRunsRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listRuns, async ({ query }) => {
    const { rows, nextCursor } = await readPage<OperatorRun>(
      db,
      { ...query, sortBy: 'createdAt', order: 'desc' },
      { reader: 'operators', list: 'runs' },
      ({ position, isNext, orderBy, limit }) => sql`
        select *, ${position} as position from operator_run where ${isNext} order by ${orderBy} limit ${limit}`,
    )
    return { runs: rows.map(toRun), nextCursor }
  })
}
