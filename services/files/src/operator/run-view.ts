import type { Returned } from '@tideport/contracts/endpoint/two-sides'
import type { readRun } from '@tideport/contracts/public/operator-runs'
import type { OperatorRun } from '@tideport/file-lifecycle/repair/runs/operator-run'

/** A run's row as operators see it. */
export function toRun(row: OperatorRun): Returned<typeof readRun> {
  const { id, kind, state, place, counts, findings, error, accountId, subject, request } = row
  const { dryRun, after = null, sample = null, network = null } = request
  return {
    ...{ id, kind, state, dryRun, after, sample, network, place, counts, findings, error, accountId, subject },
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    updatedAt: row.updatedAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}
