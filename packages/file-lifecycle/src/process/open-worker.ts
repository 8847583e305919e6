import { databaseAnswers } from '@tideport/service-kit/postgres/database'
import { type Circuit, createCircuit } from '@tideport/service-kit/process/circuit'
import type { RunContext } from '@tideport/service-kit/process/run'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { type FilesContext, type FilesContextConfig, openFilesContext } from './open-files-context.ts'

/** What sync and eviction stand on. */
export interface Worker extends FilesContext {
  /** Opens while Postgres or one of the tiers is down, so that no outage counts as a failure of files. */
  circuit: Circuit
  log: Log
  metrics: Metrics
  signal: AbortSignal
}

/** The files context of a process that takes jobs. `toStore`: they need room on the network. */
export function openWorker(name: string, run: RunContext<FilesContextConfig>, needs: { toStore: boolean }): Worker {
  const { log, metrics, stack, signal } = run
  const context = openFilesContext(name, run)
  const { db, hotTier, network } = context
  const probe = (probing: AbortSignal) =>
    Promise.all([databaseAnswers(db), hotTier.health(), network.health(probing, needs)])
  const circuit = stack.use(createCircuit({ probe, log, metrics, signal }))
  return { ...context, circuit, log, metrics, signal }
}
