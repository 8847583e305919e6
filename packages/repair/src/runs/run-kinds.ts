import type { RunKind } from '@tideport/contracts/public/operator-runs'
import type { Progress } from '../reconcile/progress.ts'
import { firstPlace } from '../reconcile/read-files.ts'
import { reconcileFiles } from '../reconcile/reconcile-files.ts'
import type { Tiers } from '../reconcile/tiers.ts'
import { allCopies, type Batch, FILES, sampleOfCopies } from '../verify/read-copies.ts'
import { verifyCopies } from '../verify/verify-copies.ts'
import type { OperatorRun } from './operator-run.ts'

interface Carried {
  tiers: Tiers
  run: OperatorRun
  /** Waits until the rate limit allows reading this many bytes. */
  pace: (bytes: number, signal: AbortSignal) => Promise<unknown>
  signal: AbortSignal
}

/** Continues the run at its last place and reports batches. The run is done when this function returns. */
export type KindOfRun = (carried: Carried) => AsyncGenerator<Progress<object>>

const reconcile: KindOfRun = async function* ({ tiers, run: { request, place }, signal }) {
  const begin = place ?? request.after ?? firstPlace
  for await (const found of reconcileFiles(tiers, { begin, fix: !request.dryRun }, signal)) {
    yield found as Progress<object>
  }
}

/** Reads copies in full. A dry run only counts them. */
const verify: KindOfRun = async function* ({ tiers, run, pace, signal }) {
  const { request, place } = run
  const names = tiers.networks.order.filter((name) => name === (request.network ?? name))
  for (const name of names) await tiers.networks.get(name)?.health(signal)
  const { sample } = request
  const left = sample === undefined ? null : Number(place ?? sample)
  const batches =
    left === null
      ? allCopies(tiers.db, names, place ?? undefined)
      : countDown(sampleOfCopies(tiers.db, names, left), left)
  const found = request.dryRun ? count(batches) : verifyCopies(tiers, batches, signal)
  for await (const progress of found) {
    yield progress
    if (request.dryRun) continue
    await pace(progress.counts.bytes ?? 0, signal)
    // Waits before the next batch and before the run finishes.
    await pace(0, signal)
  }
}

/** The place of a sample is the number of remaining files. */
async function* countDown(batches: AsyncIterable<Batch>, sample: number): AsyncGenerator<Batch> {
  let left = sample
  for await (const batch of batches) {
    left = Math.max(0, left - FILES)
    yield { ...batch, last: String(left) }
  }
}

async function* count(batches: AsyncIterable<Batch>): AsyncGenerator<Progress<object>> {
  for await (const { copies, last } of batches) {
    const bytes = copies.reduce((sum, { file }) => sum + file.sizeBytes, 0)
    yield { counts: { copies: copies.length, bytes }, findings: [], next: last ?? null, isSettled: true }
  }
}

export const runKinds: Record<RunKind, KindOfRun> = { reconcile, verify }
