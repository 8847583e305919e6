import { z } from 'zod'
import type { KindOfJob } from '../jobs/advance-job.ts'
import { restoreFiles } from '../operations/restore-files.ts'
import { advanceRange } from './advance-range.ts'

const restoreRequest = z.object({ prefix: z.string(), trashedSince: z.string().optional() })

/**
 * Restores the trashed files below a prefix, optionally only those trashed since a time. Replaced files stay, because
 * of several at a path the last one would win.
 */
export const restoreKind: KindOfJob = {
  isQuick: true,
  advance(deps, job, { limit }) {
    const { prefix, trashedSince } = restoreRequest.parse(job.request)
    const { networks, trashRetentionSeconds: retentionSeconds } = deps
    const evictWaitSeconds = deps.downloadUrlSeconds + deps.clockSkewSeconds
    const operation = restoreFiles({ networks, retentionSeconds, evictWaitSeconds }, { swap: null })
    return advanceRange(deps, job, limit, { range: { prefix, among: 'trash', trashedSince }, operation })
  },
}
