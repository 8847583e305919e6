import { type AccountJobRow, cancelJob as cancel, findJob } from '@tideport/bulk-jobs/jobs/account-job'
import { observeJobs } from '@tideport/bulk-jobs/jobs/job-metrics'
import { expireLeft } from '@tideport/bulk-jobs/jobs/made-files'
import { cancelJob, listJobs, readJob } from '@tideport/contracts/public/jobs'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { type Kysely, sql } from 'kysely'
import type { FilesConfig } from '../config.ts'
import { readPage } from '../lists/list-page.ts'
import { type CopyDeps, copyFilesRoute } from './copy-files.ts'
import { createDownloadUrlsRoute, type UrlDeps } from './create-download-urls.ts'
import { jobsSeenBy, toJob } from './job-view.ts'
import { type ManyFilesDeps, manyFilesRoutes } from './many-files.ts'

interface Deps extends ManyFilesDeps, CopyDeps, UrlDeps {
  metrics: Metrics
  config: FilesConfig
}

export function jobRoutes(deps: Deps) {
  const { db, config } = deps
  observeJobs(db, deps.metrics)
  return {
    ...manyFilesRoutes(deps),
    copyFiles: copyFilesRoute(deps),
    createDownloadUrls: createDownloadUrlsRoute(deps),
    listJobs: listJobsRoute(db),
    readJob: serve(readJob, async ({ principal, params: { jobId } }) => {
      const job = await findJob(db, jobId, jobsSeenBy(principal))
      if (job === null) throw notFound()
      return toJob(job)
    }),
    cancelJob: cancelJobRoute(db, config),
  } satisfies Partial<RoutesOf<'files'>>
}

function listJobsRoute(db: Kysely<FilesDb>) {
  return serve(listJobs, async ({ principal, query }) => {
    const isSeen = jobsSeenBy(principal)
    const { rows, nextCursor } = await readPage<AccountJobRow>(
      db,
      { ...query, sortBy: 'createdAt', order: 'desc' },
      { reader: principal.accountId, list: 'jobs' },
      ({ position, isNext, orderBy, limit }) => sql`
        select *, ${position} as position from account_job where ${isSeen} and ${isNext} order by ${orderBy} limit ${limit}`,
    )
    return { jobs: rows.map(toJob), nextCursor }
  })
}

/** `POST /api/jobs/:jobId/cancel`. Returns a finished job unchanged. */
function cancelJobRoute(db: Kysely<FilesDb>, config: Pick<FilesConfig, 'auditRetentionSeconds'>) {
  return serve(cancelJob, async ({ principal, params: { jobId } }) => {
    const isSeen = jobsSeenBy(principal)
    const job = (await cancel(db, jobId, isSeen, config)) ?? (await findJob(db, jobId, isSeen))
    if (job === null) throw notFound()
    // Runs after the cancellation, so that no batch creates more files. A repeated request retries this step after a
    // failure.
    if (job.state === 'cancelled') await expireLeft(db, job)
    return toJob(job)
  })
}
