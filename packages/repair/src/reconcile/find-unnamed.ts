import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { fileOf, numberOf } from './file-of.ts'
import type { FoundCopy } from './reconcile-file.ts'
import type { Tiers } from './tiers.ts'

/** The latest copy of each file on each network, from one listing of each network. */
export async function findUnnamed(
  { networks }: Pick<Tiers, 'networks'>,
  sizes: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<Map<string, FoundCopy[]>> {
  const found = new Map<string, FoundCopy[]>()
  for (const network of networks.all()) {
    for (const [fileId, copy] of await findOn(network, sizes, signal)) {
      found.set(fileId, [...(found.get(fileId) ?? []), copy])
    }
  }
  return found
}

async function findOn(
  network: StorageNetwork,
  sizes: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<Map<string, FoundCopy>> {
  const last = new Map<string, FoundCopy>()
  for await (const { blobId, reference, sizeBytes } of network.references(signal)) {
    const fileId = fileOf(reference)
    if (fileId === null || sizes.get(fileId) !== sizeBytes) continue
    const before = last.get(fileId)
    if (before && numberOf(before.reference) > numberOf(reference)) continue
    // A listing includes incomplete copies.
    const answer = await network.stat({ blobId, reference, ref: {} }, signal)
    if (answer.state === 'present') last.set(fileId, { network: network.name, reference, blobId })
  }
  return last
}
