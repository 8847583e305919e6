import { z } from 'zod'
import type { KindOfJob } from '../jobs/advance-job.ts'
import { publishFiles } from '../operations/publish-files.ts'
import { advanceRange } from './advance-range.ts'

const publishRequest = z.object({ prefix: z.string() })

export const publishKind: KindOfJob = {
  isQuick: true,
  advance(deps, job, { limit }) {
    const { prefix } = publishRequest.parse(job.request)
    return advanceRange(deps, job, limit, { range: { prefix, among: 'review' }, operation: publishFiles })
  },
}
