import { databaseAnswers } from '@tideport/service-kit/postgres/database'
import { type Circuit, createCircuits } from '@tideport/service-kit/process/circuit'
import type { RunContext } from '@tideport/service-kit/process/run'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { type FilesContext, type FilesContextConfig, openFilesContext } from './open-files-context.ts'
import { tellCircuits } from './tell-circuits.ts'

/** What sync and eviction stand on. */
export interface Worker extends FilesContext {
  /** Opens while Postgres or the hot tier is down, so that no outage counts as a failure of files. */
  circuit: Circuit
  /** One for each network: what is down there stops its own work and no other. */
  circuitOf(network: StorageNetwork): Circuit
  log: Log
  metrics: Metrics
  signal: AbortSignal
}

/** The files context of a process that takes jobs. `toStore`: they need room on the networks. */
export async function openWorker(
  name: string,
  run: RunContext<FilesContextConfig>,
  needs: { toStore: boolean },
): Promise<Worker> {
  const { log, metrics, stack, signal } = run
  const context = await openFilesContext(name, run)
  const { db, hotTier, networks } = context
  const open = createCircuits({ log, metrics, signal })
  const base = () => [databaseAnswers(db), hotTier.health('thoroughly')]
  const circuit = stack.use(open('hot_tier', () => Promise.all(base())))
  const ofNetworks = new Map(
    networks.all().map((network) => {
      const probe = (probing: AbortSignal) => Promise.all([...base(), network.health(probing, needs)])
      return [network.name, stack.use(open(network.name, probe))]
    }),
  )
  stack.use(tellCircuits(new Map([['hot_tier', circuit], ...ofNetworks]), { db, service: name, log, signal }))
  const circuitOf = (network: StorageNetwork) => ofNetworks.get(network.name) ?? circuit
  return { ...context, circuit, circuitOf, log, metrics, signal }
}
