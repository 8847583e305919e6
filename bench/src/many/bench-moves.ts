import { randomUUID } from 'node:crypto'
import { networksOf } from '@tideport/file-lifecycle/copies/networks'
import { createJob } from '@tideport/file-lifecycle/many/create-job'
import { runJobs } from '@tideport/file-lifecycle/many/run-jobs'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { openHotTier } from '@tideport/hot-tier/hot-tier'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import { timed } from '../measure.ts'
import { type Seeded, seedFiles } from '../seed-files.ts'
import { startDatabase } from '../start-database.ts'

const FILES = 200_000
const log = createLogger({ service: 'bench', level: 'silent' })

/**
 * Jobs on a folder of 100,000 files beside as many others, by one process: renaming it, beside others and taking paths,
 * throwing it away and bringing it back; and how long an upload's statement, a change of the vault's counters, waits meanwhile.
 */
export async function benchMoves(): Promise<void> {
  await using database = await startDatabase()
  const { db } = database
  console.log('seeding…')
  const account = await seedFiles(db, FILES)
  console.log(`\nJobs on ${FILES / 2} files`)
  await bench(db, account, 'move', { prefix: 'flat/', to: 'one/', onConflict: 'keep' })
  await bench(db, account, 'move', { prefix: 'one/', to: 'two/', onConflict: 'replace' })
  await bench(db, account, 'trash', { prefix: 'two/' })
  await bench(db, account, 'restore', { prefix: 'two/' })
}

async function bench(
  db: Kysely<FilesDb>,
  { accountId, vaultId }: Seeded,
  kind: 'move' | 'trash' | 'restore',
  request: { prefix: string; to?: string; onConflict?: string },
): Promise<void> {
  const job = { id: randomUUID(), accountId, kind, vaultId, toVaultId: null, request, openMax: 1 }
  await db.transaction().execute((trx) => createJob(trx, job))
  const networks = networksOf([], [])
  // Nothing of these jobs asks it.
  const hotTier = openHotTier({ s3Region: 'none', s3Bucket: 'none', s3ForcePathStyle: true })
  const deps = {
    db,
    hotTier,
    relay: { wake: () => {} },
    networks,
    log,
    trashRetentionSeconds: 3600,
    settleSeconds: 60,
    downloadUrlSeconds: 60,
    clockSkewSeconds: 0,
  }
  const stop = new AbortController()
  let isOver = false
  let worstMs = 0
  const touching = (async () => {
    while (!isOver) {
      const touch = sql`update vault set file_count = file_count where id = ${vaultId}`
      worstMs = Math.max(worstMs, await timed(() => touch.execute(db)))
    }
  })()
  const ms = await timed(async () => {
    while (await runJobs({ ...deps, exportBuckets: null }, 'quick', stop.signal));
  })
  isOver = true
  await touching
  const { rows } = await sql<{ done: number; failed: number; state: string }>`
    select done, failed, state from account_job where id = ${job.id}`.execute(db)
  const [end] = rows
  if (end?.state !== 'done') throw new Error(`The job is ${end?.state}`)
  const name = `${kind} ${request.prefix} ${request.onConflict ?? ''}`
  const rate = `${Math.round(end.done / (ms / 1000))} files/s`
  console.log(`  ${name.padEnd(44)} ${(ms / 1000).toFixed(1).padStart(10)} s   ${rate.padEnd(16)} the vault's row held up ${worstMs.toFixed(0)} ms at most`) // biome-ignore format: one line of a table
}
