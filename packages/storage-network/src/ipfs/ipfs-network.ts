import { begin, isBlobId } from '../copy-name.ts'
import { NetworkError } from '../errors.ts'
import type { NetworkIdentity } from '../identity.ts'
import type { Reference, StorageNetwork } from '../storage-network.ts'
import { digestOf, parseCid } from '../unixfs/cid.ts'
import { blobIdOfLeaf } from '../unixfs/dag-builder.ts'
import { dagSize } from '../unixfs/dag-size.ts'
import { decodeFileNode } from '../unixfs/file-node.ts'
import { hasSidecar } from '../verified/sidecar.ts'
import { createTreeCache } from '../verified/tree-cache.ts'
import { handOver } from '../verified/verified-stream.ts'
import { readBlock } from './blocks.ts'
import { findCopy, treeOf } from './find-copy.ts'
import { type Kubo, openKubo } from './kubo.ts'
import { MAX_BLOB_BYTES } from './limits.ts'
import type { Link } from './mfs.ts'
import { type OpenOptions, openAnyCopy, openCopy } from './open-blob.ts'
import { copyNamed, entryOf } from './paths.ts'
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
    blobIdOf: blobIdOfLeaf,
    // Equal blocks are stored once, and their owners are unknown.
    billedBytes: (sizeBytes) => sizeBytes + dagSize(sizeBytes).blockBytes,
    leaseEnd: () => null,
    stage: (body, options) => stageBlob(kubo, body, options),
    async open(copy, { range, signal }) {
      begin('reference' in copy ? copy.reference : undefined, signal)
      const openAt = (at: Kubo, options: OpenOptions) =>
        'reference' in copy ? openCopy(at, copy, options, trees) : openAnyCopy(at, copy.blobId, options, trees)
      const stream = isBlobId(copy.blobId) ? await openAnywhere([kubo, ...others], openAt, { range, signal }) : null
      if (stream === null) return await failAbsent(kubo, signal)
      return handOver(stream, signal)
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

/** Only the first node may report a copy as missing, because copies are stored there. Others may be behind. */
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

/** Nothing counts as absent unless the network's own node confirms it. */
async function failAbsent({ owner }: Kubo, signal: AbortSignal): Promise<never> {
  await owner.check(signal)
  throw new NetworkError('not_found', "the network's node does not have this copy")
}

/** All copies, in no order. The size of a copy with a damaged root is unknown: 0. */
async function* listReferences({ rpc, mfs, paths, owner }: Kubo, signal: AbortSignal): AsyncGenerator<Reference> {
  await owner.check(signal)
  for (const shard of (await mfs.list(paths.copies, signal)) ?? []) {
    for (const link of (await mfs.list(`${paths.copies}/${shard.name}`, signal)) ?? []) {
      const copy = copyNamed(link.name)
      if (copy) yield { ...copy, sizeBytes: await sizeOf(link), storedAt: UNKNOWN }
    }
  }
  await owner.check(signal)

  async function sizeOf({ cid, rawBytes }: Link): Promise<number> {
    if (!hasSidecar(cid)) return rawBytes
    const block = await readBlock(rpc, digestOf(parseCid(cid) as Buffer), signal)
    return (block && decodeFileNode(block)?.contentBytes) ?? 0
  }
}

/** MFS stores no modification times. */
const UNKNOWN = new Date(0)
