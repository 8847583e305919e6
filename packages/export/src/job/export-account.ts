import type { AccountJobRow } from '@tideport/bulk-jobs/jobs/account-job'
import { type JobDeps, type KindOfJob, writeAdvance } from '@tideport/bulk-jobs/jobs/job-kind'
import { giveUpLeft } from '@tideport/bulk-jobs/jobs/made-files'
import { whileClaimed } from '@tideport/bulk-jobs/jobs/while-claimed'
import type { JobFailure } from '@tideport/contracts/public/jobs'
import type { ManifestLine } from '@tideport/contracts/public/manifest'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { z } from 'zod'
import { exportBucket } from '../bucket/bucket-request.ts'
import { bucketTarget } from '../bucket/bucket-target.ts'
import type { ExportBuckets } from '../bucket/export-buckets.ts'
import type { ExportTarget, Written } from '../records/export-target.ts'
import { headLine, vaultLines } from '../records/manifest-lines.ts'
import { type Begun, packFiles } from '../records/pack-files.ts'
import { partBytesOf } from '../records/plan-part.ts'
import { type Place, readFiles, readVaults } from '../records/walk-account.ts'
import { vaultTarget } from './vault-target.ts'

const exportRequest = z.object({
  partBytes: z.number(),
  /** Set for exports to a bucket. */
  bucket: exportBucket.optional(),
  /** The account's limits. */
  quotaBytes: z.number(),
  openUploadsMax: z.number(),
})

/** Vaults first, then files, both in the order of creation. */
interface Progress {
  /** Of the next manifest and part. */
  number: number
  isAtFiles: boolean
  after: Place | null
  /** A file that continues in the next part. */
  begun: Begun | null
  vaults: number
  files: number
  bytes: number
  /** Part size for this bucket. */
  room?: number
}

const start: Progress = { number: 1, isAtFiles: false, after: null, begun: null, vaults: 0, files: 0, bytes: 0 }

/** Objects that a batch has written and not committed yet. */
interface Batch {
  lines: ManifestLine[]
  written: Written[]
  next: Progress
  done: number
  failures: JobFailure[]
  isOver: boolean
}

interface Step {
  progress: Progress
  target: ExportTarget
  partBytes: number
  /** Null: all parts have the same size. */
  room: number | null
  limit: number
  signal: AbortSignal
}

/** Vaults per batch. The folders of each vault, up to 1,000, stay in memory until the manifest is written. */
const VAULTS = 20

/** Exports all files as CARs with manifests (docs/guides/leave.md). */
export const exportKind = (buckets: ExportBuckets | null): KindOfJob => ({
  isQuick: false,
  begin: giveUpLeft,
  async advance(deps, job, { limit, isSlow, signal }) {
    const { partBytes, bucket, ...limits } = exportRequest.parse(job.request)
    const progress = (job.progress as Progress | null) ?? start
    const room = bucket ? Math.min(partBytes, roomNow(progress.room, job.attempt)) : null
    using target = bucket
      ? bucketTarget({ ...deps, exportBuckets: buckets }, job, bucket, { isSlow })
      : vaultTarget(deps, job, limits)
    return await whileClaimed(deps, job, signal, async (claimed) => {
      await target.prepare(claimed)
      const step = { progress, target, partBytes: partBytesOf(room ?? partBytes), room, limit, signal: claimed }
      const batch = await (progress.isAtFiles ? nextFiles(deps, job, step) : nextVaults(deps, job, step))
      return await commit(deps, job, step, batch)
    })
  },
})

async function nextVaults({ db, networks }: JobDeps, { accountId }: AccountJobRow, step: Step): Promise<Batch> {
  const { progress } = step
  const limit = Math.min(step.limit, VAULTS)
  const vaults = await readVaults(db, accountId, { after: progress.after, limit })
  const last = vaults.at(-1)
  const isLast = vaults.length < limit || last === undefined
  const next = { isAtFiles: isLast, after: isLast ? null : { at: last.at, id: last.id } }
  const head = progress.number === 1 ? [headLine(networks, accountId)] : []
  const lines = [...head]
  for (const { at: _, ...vault } of vaults) lines.push(...(await vaultLines(db, vault)))
  return {
    lines,
    written: [],
    next: { ...progress, ...next, vaults: progress.vaults + vaults.length },
    ...{ done: 0, failures: [], isOver: false },
  }
}

async function nextFiles(deps: JobDeps, { accountId }: AccountJobRow, step: Step): Promise<Batch> {
  const { progress, target, partBytes, room, limit, signal } = step
  const { after, begun, number } = progress
  const files = await readFiles(deps.db, accountId, { after, limit })
  const wanted = files.filter(({ isTold }) => isTold)
  const part = { name: `part-${padded(number)}.car`, target, begun, partBytes }
  const began = performance.now()
  const packed = await packFiles(deps, wanted, part, signal)
  const tookMs = performance.now() - began
  await failpoint(packed.begun === null ? 'export.part-written' : 'export.file-goes-on')
  const isAll = packed.through === wanted.length && packed.begun === null
  const place = (isAll ? files.at(-1) : wanted[packed.through - 1])?.place ?? after
  const bytes = wanted.slice(0, packed.through).reduce((sum, { file }) => sum + file.sizeBytes, 0)
  const next = {
    ...{
      ...progress,
      after: place,
      begun: packed.begun,
      ...(room && { room: roomNext(room, { isFull: !isAll, tookMs }) }),
    },
    ...{ files: progress.files + packed.through, bytes: progress.bytes + bytes },
  }
  const isOver = isAll && files.length < limit
  const end = { type: 'end' as const, vaults: next.vaults, files: next.files, bytes: next.bytes }
  return {
    lines: isOver ? [...packed.lines, end] : packed.lines,
    written: packed.written === null ? [] : [packed.written],
    next,
    done: packed.through - packed.lost.length,
    failures: packed.lost.map(({ file }) => ({ fileId: file.id, path: file.path, code: 'content_lost' })),
    isOver,
  }
}

/** Writes the manifest of a batch, and commits the batch with the progress. */
async function commit(
  deps: JobDeps,
  job: AccountJobRow,
  { target, signal }: Step,
  batch: Batch,
): Promise<AccountJobRow> {
  const { lines, written, next, ...outcome } = batch
  try {
    if (lines.length > 0) {
      const text = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      const name = `manifest-${padded(next.number)}.ndjson`
      const object = { name, mimeType: 'application/x-ndjson', sizeBytes: text.length }
      written.push(await target.write(object, once(text), signal))
    }
    await failpoint('export.before-commit')
    return await deps.db.transaction().execute(async (trx) => {
      for (const one of written) await one.keep(trx)
      const progress = { ...next, number: next.number + (written.length > 0 ? 1 : 0) }
      const advanced = await writeAdvance(trx, job, { progress, ...outcome })
      await failpoint('many.before-commit')
      return advanced
    })
  } catch (error) {
    await Promise.all(written.map((one) => one.drop()))
    throw error
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

const padded = (number: number) => String(number).padStart(6, '0')

const MIB = 1024 ** 2
/**
 * Smallest part. A bucket that takes less per batch in the queue for slow buckets (run-jobs.ts), about 70 kB/s, is too
 * slow.
 */
const LEAST = 8 * MIB
const FIRST = 32 * MIB
const QUICK_MS = 10_000
const SLOW_MS = 20_000

/** Size of the next part, halved after each failure. */
export const roomNow = (room: number | undefined, attempt: number): number =>
  Math.max(LEAST, Math.floor((room ?? FIRST) / 2 ** attempt))

/** Size of the part after this one. Each part takes some seconds at the speed of the bucket. */
export function roomNext(room: number, { isFull, tookMs }: { isFull: boolean; tookMs: number }): number {
  if (tookMs > SLOW_MS) return Math.floor(room / 2)
  return tookMs < QUICK_MS && isFull ? room * 2 : room
}
