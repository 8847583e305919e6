import { z } from 'zod'
import type { KindOfJob } from '../jobs/advance-job.ts'
import { restoreFiles } from '../operations/restore-files.ts'
import { advanceRange } from './advance-range.ts'

const restoreRequest = z.object({ prefix: z.string(), trashedSince: z.string().optional() })

/**
 * What is in the trash below a prefix comes back; all of it, or what went there since some time. Files that were replaced stay: to bring back a whole chain of them would
 * leave whichever came last.
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
