import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runJobs } from '@tideport/bulk-jobs/jobs/run-jobs'
import { cleanUpCancelledExports } from '@tideport/export/bucket/clean-up-cancelled-exports'
import { type ExportBuckets, exportBuckets } from '@tideport/export/bucket/export-buckets'
import { jobKinds } from '@tideport/export/job/job-kinds'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { waitFor } from '@tideport/testing/wait-for'
import type { Bundle } from './bundle.ts'
import type { clientOf } from './client.ts'

const log = createLogger({ service: 'workers', level: 'silent' })
const hurry = 'update account_job set due_at = now() where id = $1 and due_at > now() and claimed_until is null'

/**
 * Runs slow jobs and jobs that write into buckets, like eviction, until this job has finished. With `isHurried`, it
 * skips the pauses of the job.
 */
export async function finishJob(
  t: Bundle,
  client: ReturnType<typeof clientOf>,
  jobId: string,
  { isHurried = false, ...patience }: Partial<Pick<ExportBuckets, 'patienceMs'>> & { isHurried?: boolean } = {},
) {
  const { signal } = new AbortController()
  const read = async () => (await client.call('GET', `/api/jobs/${jobId}`)).body
  const buckets = await exportBuckets(t.config, log)
  const exporting = buckets && { ...buckets, ...patience }
  const deps = {
    ...{ ...t.config, ...t, relay: { wake: () => {} }, log },
    ...{ exportBuckets: exporting, kinds: jobKinds(exporting) },
  }
  await waitFor(
    async () => {
      if (isHurried) await t.database.sql(hurry, [jobId])
      for (const queue of ['slow', 'buckets', 'slow_buckets'] as const) await runJobs(deps, queue, signal)
      await cleanUpCancelledExports(deps, signal)
      return (await read()).finishedAt !== null
    },
    { what: 'the job to be over' },
  )
  return await read()
}

/** The files of an export's vault, as their owner downloads them. */
export async function exportedFiles(client: ReturnType<typeof clientOf>, vaultId: string) {
  const { files } = (await client.call('GET', `/api/files?vaultId=${vaultId}&sortBy=path&limit=100`)).body
  const all = new Map<string, Buffer>()
  for (const { id, name } of files as { id: string; name: string }[]) {
    const { downloadUrl } = (await client.call('GET', `/api/files/${id}/download`)).body
    all.set(name, Buffer.from(await (await fetch(downloadUrl)).arrayBuffer()))
  }
  return all
}

export async function saveAll(files: ReadonlyMap<string, Buffer>, directory: string): Promise<void> {
  for (const [name, bytes] of files) await writeFile(join(directory, name), bytes)
}
