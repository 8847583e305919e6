import type { Progress } from '../reconcile/progress.ts'
import type { Tiers } from '../reconcile/tiers.ts'
import type { OperatorRun } from './operator-run.ts'

export interface Carried {
  tiers: Tiers
  run: OperatorRun
  /** Waits until so many more bytes may be read. */
  pace: (bytes: number, signal: AbortSignal) => Promise<unknown>
  signal: AbortSignal
}

/** Continues where the run was and reports batches. The run is done when it returns. */
export type KindOfRun = (carried: Carried) => AsyncGenerator<Progress<object>>
