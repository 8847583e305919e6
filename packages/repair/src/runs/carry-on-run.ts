import { RUN_FINDINGS_MAX, type RunKind } from '@tideport/contracts/public/operator-runs'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { CLAIM_SECONDS } from '@tideport/file-lifecycle/state/state'
import { createPace } from '@tideport/service-kit/process/pace'
import { sql } from 'kysely'
import { addCounts } from '../reconcile/progress.ts'
import type { Tiers } from '../reconcile/tiers.ts'
import { asOperator } from './as-operator.ts'
import { claimedAgain, claimRun, type OperatorRun, over, writeRun } from './operator-run.ts'
import { runKinds } from './run-kinds.ts'

const RENEW_MS = (CLAIM_SECONDS * 1000) / 12
const RETRY_SECONDS = 5
const DOUBLINGS_MAX = 6
const ATTEMPTS_MAX = 10

interface Deps extends Tiers {
  relay: Pick<Relay, 'wake'>
  copyCheckBytesPerSecond: number
}

/** The run was cancelled, or another process continues it. */
class RunLost extends Error {
  override name = 'RunLost'
}

/** Continues the unclaimed run of this kind until it finishes or the process stops. Returns whether a run was found. */
export async function carryOnRun(deps: Deps, kind: RunKind, stopping: AbortSignal): Promise<boolean> {
  const run = await claimRun(deps.db, kind)
  if (run === null) return false
  const { db, log } = deps
  const lost = new AbortController()
  const renewal = setInterval(() => {
    writeRun(db, run, claimedAgain).then(
      (written) => written ?? lost.abort(new RunLost()),
      (error: unknown) => log.debug({ err: error, runId: run.id }, 'could not renew the claim'),
    )
  }, RENEW_MS)
  const progress = { attempt: run.attempt }
  try {
    const signal = AbortSignal.any([stopping, lost.signal])
    await asOperator(() => advance(deps, run, signal, progress))
    log.info({ runId: run.id, kind }, 'run completed')
  } catch (error) {
    if (stopping.aborted) await writeRun(db, run, sql`claimed_until = null`).catch(() => null)
    else if (!lost.signal.aborted && !(error instanceof RunLost)) await putOff(deps, run, progress.attempt, error)
  } finally {
    clearInterval(renewal)
  }
  return true
}

/** Findings since the last write are found again after a crash. */
async function advance(
  deps: Deps,
  run: OperatorRun,
  signal: AbortSignal,
  progress: { attempt: number },
): Promise<void> {
  const pace = createPace(deps.copyCheckBytesPerSecond)
  let { counts, findings } = run
  for await (const found of runKinds[run.kind]({ tiers: deps, run, pace, signal })) {
    signal.throwIfAborted()
    counts = addCounts(counts, found.counts)
    findings = [...findings, ...(found.findings as Record<string, string>[])].slice(0, RUN_FINDINGS_MAX)
    deps.relay.wake()
    if (!found.isSettled) continue
    progress.attempt = 0
    const written = await writeRun(
      deps.db,
      run,
      sql`counts = ${JSON.stringify(counts)}::jsonb, findings = ${JSON.stringify(findings)}::jsonb, error = null,
        place = coalesce(${found.next}, place), attempt = 0, updated_at = now(), ${claimedAgain}`,
    )
    if (written === null) throw new RunLost()
  }
  if ((await writeRun(deps.db, run, over('done'))) === null) throw new RunLost()
}

/** Retries after a growing pause, a limited number of times. */
async function putOff({ db, log }: Deps, run: OperatorRun, attempts: number, error: unknown): Promise<void> {
  const attempt = attempts + 1
  log.warn({ err: error, runId: run.id, kind: run.kind, attempt }, 'run failed; it is retried later')
  const sentence = error instanceof Error ? error.message.slice(0, 300) : 'The run failed'
  const seconds = RETRY_SECONDS * 2 ** Math.min(attempt - 1, DOUBLINGS_MAX)
  const later = sql`attempt = ${attempt}, error = ${sentence}, claimed_until = null, updated_at = now(),
    due_at = now() + make_interval(secs => ${seconds})`
  // If the database is unavailable, the claim expires.
  await writeRun(db, run, attempt >= ATTEMPTS_MAX ? over('failed', sentence) : later).catch(() => null)
}
