import { addAbortSignal } from 'node:stream'
import { assertReference, isBlobId } from '../copy-name.ts'
import { NetworkError } from '../errors.ts'
import type { NetworkIdentity } from '../identity.ts'
import type { StorageNetwork } from '../storage-network.ts'
import { cidOf, formatCid, RAW } from '../unixfs/cid.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { dagSize } from '../unixfs/dag-size.ts'
import { createTreeCache } from '../verified/tree-cache.ts'
import { findCopy, treeOf } from './find-copy.ts'
import { type Kubo, openKubo } from './kubo.ts'
import { MAX_BLOB_BYTES } from './limits.ts'
import { listReferences } from './list-references.ts'
import { type OpenOptions, openAnyCopy, openCopy } from './open-blob.ts'
import { entryOf } from './paths.ts'
import { proveCopy } from './prove-copy.ts'
import type { IpfsSettings } from './settings.ts'
import { stageBlob } from './stage-blob.ts'

/** A network on an IPFS node: a copy is a path in MFS, which protects its blocks from garbage collection. */
export function openIpfsNetwork({ name, installationId, ...settings }: IpfsSettings & NetworkIdentity): StorageNetwork {
  const [kubo, ...others] = settings.urls.map((url) => openKubo(url, settings, { name, installationId })) as [
    Kubo,
    ...Kubo[],
  ]
  const trees = createTreeCache()
  const begin = (reference: string | undefined, signal: AbortSignal) => {
    signal.throwIfAborted()
    if (reference !== undefined) assertReference(reference)
  }
  const stat: StorageNetwork['stat'] = async (copy, signal) => {
    begin(copy.reference, signal)
    const isHeld = (await findCopy(kubo, copy, signal)) === 'held'
    const tree = isHeld ? await treeOf(kubo.rpc, copy.blobId, signal) : null
    if (tree) return { state: 'present', sizeBytes: tree.sizeBytes, expiresAt: null }
    await kubo.owner.check(signal)
    return { state: 'absent' }
  }
  return {
    name,
    driver: 'ipfs',
    maxBlobBytes: MAX_BLOB_BYTES,
    caps: { expires: false, removes: true },
    blobIdOf: ({ sha256, sizeBytes }) =>
      sizeBytes <= UNIXFS_V1_2025.leafBytes ? formatCid(cidOf(RAW, Buffer.from(sha256, 'hex'))) : null,
    // Equal blocks are kept once, but whose they are nobody can tell.
    billedBytes: (sizeBytes) => sizeBytes + dagSize(sizeBytes).blockBytes,
    leaseEnd: () => null,
    stage: (body, options) => stageBlob(kubo, body, options),
    async open(copy, { range, signal }) {
      begin('reference' in copy ? copy.reference : undefined, signal)
      const openAt = (at: Kubo, options: OpenOptions) =>
        'reference' in copy ? openCopy(at, copy, options, trees) : openAnyCopy(at, copy.blobId, options, trees)
      const stream = isBlobId(copy.blobId) ? await openAnywhere([kubo, ...others], openAt, { range, signal }) : null
      if (stream === null) return await failAbsent(kubo, signal)
      // Given to nobody, it would break with nobody listening.
      if (signal.aborted) stream.destroy()
      signal.throwIfAborted()
      return addAbortSignal(signal, stream)
    },
    stat,
    references: (signal) => listReferences(kubo, signal),
    async prove(copy, expected, signal) {
      begin(copy.reference, signal)
      return await proveCopy(kubo, copy, expected, signal)
    },
    async renew(copy, signal) {
      if ((await stat(copy, signal)).state === 'absent') return await failAbsent(kubo, signal)
      return { expiresAt: null }
    },
    async remove(copy, signal) {
      begin(copy.reference, signal)
      if (!isBlobId(copy.blobId)) return { outcome: 'released' }
      await kubo.owner.ensure(signal)
      await kubo.mfs.remove(`${kubo.paths.shardOf(copy.blobId)}/${entryOf(copy)}`, signal)
      return { outcome: 'released' }
    },
    health: (signal) => kubo.owner.ensure(signal),
    space: async () => null,
  }
}

/** Only the node that is written to may report a copy as missing: another may be behind. */
async function openAnywhere<T>(
  [first, ...others]: [Kubo, ...Kubo[]],
  open: (kubo: Kubo, options: OpenOptions) => Promise<T | null>,
  options: OpenOptions,
): Promise<T | null> {
  try {
    return await open(first, options)
  } catch (error) {
    if (!(error instanceof NetworkError) || error.code !== 'unreachable') throw error
    for (const other of others) {
      const found = await openIfOurs(other).catch(() => null)
      if (found !== null) return found
      options.signal.throwIfAborted()
    }
    throw error
  }

  async function openIfOurs(kubo: Kubo): Promise<T | null> {
    await kubo.owner.ensure(options.signal)
    return await open(kubo, options)
  }
}

/** Nothing counts as absent unless the network's own node says so. */
async function failAbsent({ owner }: Kubo, signal: AbortSignal): Promise<never> {
  await owner.check(signal)
  throw new NetworkError('not_found', "the network's node holds no such copy")
}
