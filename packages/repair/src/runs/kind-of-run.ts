import type { Progress } from '../reconcile/progress.ts'
import type { Tiers } from '../reconcile/tiers.ts'
import type { OperatorRun } from './operator-run.ts'

export interface Carried {
  tiers: Tiers
  /** As it was claimed. */
  run: OperatorRun
  /** Waits until so many bytes more may have been read. */
  pace: (bytes: number, signal: AbortSignal) => Promise<unknown>
  signal: AbortSignal
}

/** A kind of run: goes on where it was, and tells batch by batch what it found. It is over when it ends. */
export type KindOfRun = (carried: Carried) => AsyncGenerator<Progress<object>>
