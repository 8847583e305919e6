import { readRun } from '@tideport/contracts/public/operator-runs'
import { findRun } from '@tideport/file-lifecycle/repair/runs/operator-run'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { toRun } from '../operator/run-view.ts'

/** `GET /api/operator/runs/:runId`. */
export function readRunRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(readRun, async ({ params: { runId } }) => {
    const run = await findRun(db, runId)
    if (run === null) throw notFound()
    return toRun(run)
  })
}
