import { ConfigError } from '@tideport/service-kit/config/config'
import { POOL_THREADS } from '@tideport/service-kit/process/thread-pool'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { openStorageNetwork } from '@tideport/storage-network/open-network'
import { setUpStorageNetwork } from '@tideport/storage-network/set-up-network'
import type { CopyName, StorageNetwork } from '@tideport/storage-network/storage-network'
import { type Kysely, sql } from 'kysely'
import type { NetworkNames } from '../state/file-copies.ts'
import type { FilesDb } from '../state/tables.ts'
import type { CheckBudget } from './check-budget.ts'
import type { NetworkSettings } from './network-settings.ts'
import { measureNetworks } from './observe-networks.ts'
import { createReadSpeeds, type ReadSpeeds } from './read-speeds.ts'

/** Concurrent reads, and concurrent writes, of a disk. */
const DISK_CALLS_MAX = 4
/** Threads that stay free for names and files when disks do not respond. */
const SPARE_THREADS = 8

export interface NetworksConfig {
  storageNetworks: NetworkSettings[]
  serviceEnv: string
  embeddedNetworkAcceptSingleCopy: boolean
}

/** The configured networks. Work on a copy uses the network that its row names. */
export interface Networks extends NetworkNames {
  /** Undefined: not configured. The network may still have copies. */
  get(name: string): StorageNetwork | undefined
  /** In order of preference. */
  all(): readonly StorageNetwork[]
  /** The ID that these bytes will have on the most preferred required network; null where it cannot be computed. */
  blobIdOf(content: { sha256: string; sizeBytes: number }): string | null
  readonly speeds: ReadSpeeds
  checkBudgetOf(name: string): CheckBudget | undefined
  readonly leaving: readonly string[]
}

/**
 * Opens all networks without contacting any. Throws `ConfigError` for a single embedded network that the configuration
 * does not accept (docs/explain/life-of-a-file.md §11).
 */
export async function openNetworks(config: NetworksConfig, db: Kysely<FilesDb>, metrics: Metrics): Promise<Networks> {
  const { storageNetworks: settings } = config
  const faults = faultsOfSingleCopy(config)
  if (faults.length > 0) throw new ConfigError(faults)
  const installationId = installationIdOf(db)
  const measured = measureNetworks(metrics)
  const opening = { installationId, diskCallsMax: diskCallsOfEach(settings.length) }
  const opened = await Promise.all(settings.map((one) => openStorageNetwork(one, opening)))
  return networksOf(opened.map(measured), settings)
}

export function faultsOfSingleCopy(config: NetworksConfig): string[] {
  const required = config.storageNetworks.filter(({ role }) => role === 'required')
  const isSingleCopy = required.length === 1 && required[0]?.driver === 'embedded'
  if (!isSingleCopy || config.serviceEnv === 'development' || config.embeddedNetworkAcceptSingleCopy) return []
  return [
    'STORAGE_NETWORK: an embedded network keeps one copy on one disk; set EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY=true to accept that',
  ]
}

function diskCallsOfEach(networks: number): number {
  const threads = Math.floor((POOL_THREADS - SPARE_THREADS) / networks)
  return Math.max(1, Math.min(DISK_CALLS_MAX, Math.floor(threads / 2)))
}

export function networksOf(
  opened: readonly StorageNetwork[],
  settings: readonly Pick<NetworkSettings, 'name' | 'role' | 'checkBudget' | 'readPriceGb' | 'isArchive'>[],
): Networks {
  const byName = new Map(opened.map((network) => [network.name, network]))
  const namesOf = (role: NetworkSettings['role']) => settings.filter((one) => one.role === role).map(({ name }) => name)
  const [required, leaving] = [namesOf('required'), namesOf('leaving')]
  return {
    required,
    leaving,
    order: [...required, ...leaving],
    speeds: createReadSpeeds(settings),
    get: (name) => byName.get(name),
    all: () => opened,
    checkBudgetOf: (name) => settings.find((one) => one.name === name)?.checkBudget,
    blobIdOf: (content) => byName.get(required[0] ?? '')?.blobIdOf(content) ?? null,
  }
}

/** Reads the ID of the installation once. */
export function installationIdOf(db: Kysely<FilesDb>): () => Promise<string> {
  let known: string | undefined
  return async () => {
    known ??= (await db.selectFrom('installation').select('id').executeTakeFirstOrThrow()).id
    return known
  }
}

/** Number of the oldest and of the newest copies to check. A volume without any of them is the wrong volume. */
const LOOKED_FOR = 100

/**
 * Prepares the networks for this installation; can be repeated (docs/operate/networks/embedded.md). Throws `Error` with
 * a sentence for the operator.
 */
export async function setUpNetworks(
  db: Kysely<FilesDb>,
  networks: readonly NetworkSettings[],
  { acceptLostCopies }: { acceptLostCopies: boolean },
): Promise<{ network: string; outcome: 'set_up' | 'was_set_up' }[]> {
  const installationId = installationIdOf(db)
  const outcomes: { network: string; outcome: 'set_up' | 'was_set_up' }[] = []
  for (const network of networks) {
    const remembered = await someCopies(db, network.name)
    const outcome = await setUpStorageNetwork(network, { installationId, remembered, acceptLostCopies })
    outcomes.push({ network: network.name, outcome })
  }
  return outcomes
}

async function someCopies(db: Kysely<FilesDb>, network: string): Promise<CopyName[]> {
  const isHeld = sql`network = ${network} and blob_id is not null and state in ('stored', 'proved')`
  const { rows } = await sql<CopyName>`
    (select blob_id, reference, ref from copy where ${isHeld} order by file_id limit ${LOOKED_FOR})
    union
    (select blob_id, reference, ref from copy where ${isHeld} order by file_id desc limit ${LOOKED_FOR})`.execute(db)
  return rows
}
