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
import { measureNetworks } from './measure-networks.ts'
import type { NetworkSettings } from './network-settings.ts'
import { createReadSpeeds, type ReadSpeeds } from './read-speeds.ts'

/** Reads, and writes, of one disk under way at once. */
const DISK_CALLS_MAX = 4
/** Left to names and files of the process itself, however many disks hang. */
const SPARE_THREADS = 8

export interface NetworksConfig {
  storageNetworks: NetworkSettings[]
  serviceEnv: string
  embeddedNetworkAcceptSingleCopy: boolean
}

/** The storage networks of a configuration. Code that touches a copy takes the network that the copy's row names. */
export interface Networks extends NetworkNames {
  /** Undefined: not in this configuration, from which nothing may be concluded about copies there. */
  get(name: string): StorageNetwork | undefined
  /** In order of preference. */
  all(): readonly StorageNetwork[]
  /** What these bytes will be on the most preferred network that is required, where that can be told; else null. */
  blobIdOf(content: { sha256: string; sizeBytes: number }): string | null
  /** Where this process reads first. */
  readonly speeds: ReadSpeeds
  /** Undefined: no limit. */
  checkBudgetOf(name: string): CheckBudget | undefined
  /** Networks that are read and emptied. */
  readonly leaving: readonly string[]
}

/**
 * Opens all of them; none is contacted yet. One embedded network keeps one copy on one disk: outside development that has
 * to be accepted on purpose (docs/file-lifecycle.md §11).
 * @throws ConfigError when it was not
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

/** What is wrong with one embedded network that nobody accepted as the only copy. */
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

/** A registry of networks that are open. */
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

/** Asks which installation the database is, until it has answered once: that never changes. */
export function installationIdOf(db: Kysely<FilesDb>): () => Promise<string> {
  let known: string | undefined
  return async () => {
    known ??= (await db.selectFrom('installation').select('id').executeTakeFirstOrThrow()).id
    return known
  }
}

/**
 * Copies that are looked for. That the oldest and the youngest are all lost one by one is nothing a volume goes
 * through.
 */
const LOOKED_FOR = 100

/**
 * Makes the configured networks this installation's; may be repeated (docs/operations.md).
 * @throws Error with a sentence for the operator
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
