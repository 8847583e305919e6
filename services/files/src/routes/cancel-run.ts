import { cancelRun } from '@tideport/contracts/public/operator-runs'
import { cancelRun as cancel, findRun } from '@tideport/file-lifecycle/repair/runs/operator-run'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { recordOperation } from '@tideport/service-kit/http/operator-log'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { toRun } from '../operator/run-view.ts'

/** `POST /api/operator/runs/:runId/cancel`. One that is over is answered as it is. */
export function cancelRunRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(cancelRun, async ({ params: { runId }, principal, request }) => {
    const run = await findRun(db, runId)
    if (run === null) throw notFound()
    await recordOperation(db, { principal, request }, { kind: `${run.kind}.cancelled`, details: { runId } })
    return toRun((await cancel(db, runId)) ?? (await findRun(db, runId)) ?? run)
  })
}
