import type { SetUp } from '../accept-place.ts'
import { NetworkError } from '../errors.ts'
import type { CopyName } from '../storage-network.ts'
import { sizeOf } from './aggregator.ts'
import { canComputeBlobIds, computeBlobId, isWalrusBlobId } from './blob-id.ts'
import { markerOf, readMarker } from './owner.ts'
import type { WalrusSettings } from './settings.ts'
import { storeMarker } from './store-copy.ts'
import { openWalrus, type Walrus } from './walrus.ts'

const SET_UP_MS = 10 * 60_000

/** Stores the marker blob. A Walrus without any remembered copy is another one. @throws Error for the operator */
export async function setUpWalrusNetwork({
  remembered,
  acceptLostCopies,
  name,
  installationId,
  ...settings
}: SetUp & WalrusSettings) {
  const walrus = openWalrus(settings, { name, installationId })
  const signal = AbortSignal.timeout(SET_UP_MS)
  if (!canComputeBlobIds()) {
    throw new Error(`The network ${name} cannot be set up without @mysten/walrus-wasm, which computes blob IDs.`)
  }
  const markerId = await computeBlobId(await markerOf(walrus.identity), settings.shards)
  return await explained(name, async () => {
    const isMarked = (await readMarker(walrus.aggregators, markerId, signal)) !== null
    if (!isMarked && remembered.length > 0 && !acceptLostCopies && !(await holdsAny(walrus, remembered, signal))) {
      throw new Error(
        `The database has copies on the network ${name}, but Walrus contains none of those that were checked. Is it the correct Walrus network? If the copies are lost, pass --accept-lost-copies.`,
      )
    }
    const stored = await storeMarker(walrus, signal)
    if (stored !== markerId) {
      throw new Error(
        `A publisher of the network ${name} returned a different blob ID than computed here for ${settings.shards} shards. Check the number of shards of its Walrus network.`,
      )
    }
    const patienceMs = settings.propagationSeconds * 1000
    if ((await sizeOf(walrus.aggregators, markerId, { signal, patienceMs })) === null) {
      throw new Error(
        `The aggregators of the network ${name} do not return what its publishers store. Check that they belong to the same Walrus network.`,
      )
    }
    return isMarked ? ('was_set_up' as const) : ('set_up' as const)
  })
}

async function holdsAny({ aggregators }: Walrus, copies: CopyName[], signal: AbortSignal): Promise<boolean> {
  for (const { blobId } of copies) {
    if (isWalrusBlobId(blobId) && (await sizeOf(aggregators, blobId, { signal })) !== null) return true
  }
  return false
}

async function explained<T>(name: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    throw new Error(`The network ${name} on Walrus cannot be used: ${error.message}.`, { cause: error })
  }
}
