import { rm } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { NetworkSettings } from '@tideport/file-lifecycle/copies/network-settings'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { listKeys } from '@tideport/hot-tier/listing'
import type { HotTierConfig } from '@tideport/hot-tier/store-calls'
import { markerPath } from '@tideport/storage-network/embedded/marker'
import { NetworkError } from '@tideport/storage-network/errors'
import { openStorageNetwork } from '@tideport/storage-network/open-network'
import { setUpStorageNetwork } from '@tideport/storage-network/set-up-network'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { chunks, type Manifest } from './manifest.ts'

/** In the bucket while a restore is unfinished: the ID of its backup. */
const MARK = 'tideport-restore'

export async function readMark(hotTier: HotTier, signal: AbortSignal): Promise<string | null> {
  const found = await hotTier.open(MARK, undefined, signal)
  return found && (await text(found))
}

export async function writeMark(hotTier: HotTier, id: string, signal: AbortSignal): Promise<void> {
  await hotTier.store(MARK, { mimeType: 'text/plain', body: chunks([Buffer.from(id)]) }, signal)
}

export const removeMark = (hotTier: HotTier) => hotTier.remove(MARK)

export async function assertEmptyBucket(config: HotTierConfig): Promise<void> {
  for await (const { key } of listKeys(config, 'hot/'))
    throw new Error(`The bucket ${config.s3Bucket} is not empty (${key}). Use an empty bucket`)
}

export interface Preparing {
  manifest: Manifest
  /** The ID that the set-up gave the new installation, if it ran. */
  currentInstallation: string | null
  /** Of an interrupted restore: the networks may contain copies. */
  isContinued: boolean
  signal: AbortSignal
}

/** Opens the embedded networks of the backup for the restored installation. Throws if one contains copies. */
export async function prepareNetworks(settings: readonly NetworkSettings[], preparing: Preparing) {
  const opened = new Map<string, StorageNetwork>()
  for (const name of preparing.manifest.networks) {
    const network = settings.find((one) => one.name === name)
    if (network?.driver !== 'embedded')
      throw new Error(
        `The backup contains the copies of the embedded network ${name}. Add it to STORAGE_NETWORKS with an empty folder`,
      )
    opened.set(name, await prepareNetwork(network, preparing))
  }
  return opened
}

type Embedded = NetworkSettings & { driver: 'embedded' }

async function prepareNetwork(settings: Embedded, preparing: Preparing): Promise<StorageNetwork> {
  const { manifest, currentInstallation, isContinued, signal } = preparing
  const identity = { installationId: async () => manifest.installation }
  const setUp = () => setUpStorageNetwork(settings, { ...identity, remembered: [], acceptLostCopies: false })
  await setUp().catch(async (error: unknown) => {
    const isForeign = error instanceof NetworkError && error.fault === 'foreign'
    if (!isForeign || currentInstallation === null) throw error
    // The set-up of the new installation marked the folder. Without copies, its mark can be replaced.
    await assertNoCopies(
      settings,
      await openStorageNetwork(settings, { installationId: async () => currentInstallation }),
      signal,
    )
    await rm(markerPath(settings.dir))
    await setUp()
  })
  const network = await openStorageNetwork(settings, identity)
  if (!isContinued) await assertNoCopies(settings, network, signal)
  return network
}

async function assertNoCopies({ name, dir }: Embedded, network: StorageNetwork, signal: AbortSignal): Promise<void> {
  for await (const _ of network.references(signal))
    throw new Error(`The network ${name} is not empty (${dir}). Restore into an empty folder`)
}
