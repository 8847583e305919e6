import { randomUUID } from 'node:crypto'
import { createJob } from '@tideport/bulk-jobs/jobs/account-job'
import { must } from '@tideport/file-lifecycle/testing/bundle'
import { setupEviction } from '@tideport/file-lifecycle/testing/evict-bundle'
import { withProcesses } from '@tideport/file-lifecycle/testing/processes'
import { isFullRun } from '@tideport/testing/full-run'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'

const main = new URL('../../src/main.ts', import.meta.url)
const HOSTING = 'this process runs the periodic tasks'

async function setup() {
  const env = { DOWNLOAD_URL_SECONDS: '1', CLOCK_SKEW_SECONDS: '0', SETTLE_SECONDS: '1' }
  const t = await withProcesses(main, await setupEviction(), { env })
  type Process = Awaited<ReturnType<typeof t.start>>
  async function jobIsDone(): Promise<string> {
    const { accountId, vaultId } = t
    const asked = { id: randomUUID(), accountId, vaultId, toVaultId: null, openMax: 9 }
    const job = { ...asked, kind: 'trash' as const, request: { prefix: 'none/' } }
    await t.db.transaction().execute(async (trx) => must(await createJob(trx, job)))
    const isDone = async () =>
      (await t.database.sql('select from account_job where id = $1 and finished_at is not null', [job.id])).length > 0
    await waitFor(isDone, { what: 'the job to be done' })
    return job.id
  }
  const jobsOf = (process: Process) =>
    process.lines().flatMap(({ msg, jobId }) => (msg === 'job completed' ? [String(jobId)] : []))
  const proves = async (process: Process) =>
    /^tideport_prove_attempts_total\{outcome="proved",.*\} [1-9]/m.test(await process.metrics())
  return { ...t, jobIsDone, jobsOf, proves }
}

const t = setUpOnce(setup)

it('runs periodic tasks and jobs in one process at a time, and proofs and evictions in all', async () => {
  await using first = await t.start()
  await first.line(HOSTING)
  await using second = await t.start()
  const byFirst = [await t.jobIsDone(), await t.jobIsDone(), await t.jobIsDone()]
  const files: { id: string }[] = []
  const bothProve = async () => {
    files.push(await t.syncedFile(`file ${files.length}`))
    return (await t.proves(first)) && (await t.proves(second))
  }
  await waitFor(bothProve, { what: 'both processes to prove a copy' })
  const areCold = async () => (await Promise.all(files.map(({ id }) => t.read(id)))).every(isCold)
  await waitFor(areCold, { what: 'all files to be cold' })
  await expect.poll(() => t.jobsOf(first)).toEqual(byFirst)
  expect(second.lines().map(({ msg }) => msg)).not.toContain(HOSTING)

  expect(await first.stop()).toEqual({ code: 0, signal: null })
  await second.line(HOSTING)
  const bySecond = await t.jobIsDone()
  await expect.poll(() => t.jobsOf(second)).toEqual([bySecond])

  await using third = await t.start()
  await second.kill()
  await t.database.sql(`update turn set held_until = now() where name = 'periodic tasks 1'`)
  await third.line(HOSTING)
  const byThird = await t.jobIsDone()
  await expect.poll(() => t.jobsOf(third)).toEqual([byThird])
})

it.runIf(isFullRun)('runs them in PERIODIC_TASK_PROCESSES processes', async () => {
  const two = { PERIODIC_TASK_PROCESSES: '2' }
  await using first = await t.start(two)
  await using second = await t.start(two)
  await Promise.all([first.line(HOSTING), second.line(HOSTING)])
  await using third = await t.start(two)
  await t.jobIsDone()
  expect(third.lines().map(({ msg }) => msg)).not.toContain(HOSTING)
  await first.stop()
  await third.line(HOSTING)
})

const isCold = ({ status }: { status: string }) => status === 'cold'
