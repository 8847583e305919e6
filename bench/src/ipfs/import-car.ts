import { hash } from 'node:crypto'
import type { Kubo } from '@tideport/storage-network/ipfs/kubo'
import { cidOf, formatCid, RAW } from '@tideport/storage-network/unixfs/cid'
import { DagBuilder, UNIXFS_V1_2025 } from '@tideport/storage-network/unixfs/dag-builder'
import { encodeSection } from '@tideport/storage-network/verified/sidecar'

/** A CARv1 header names its roots before the first block, when ours is not known: it names the empty file's. */
const HEADER = Buffer.concat([
  Buffer.from('3aa265726f6f747381d82a582500', 'hex'),
  cidOf(RAW, hash('sha256', '', 'buffer')),
  Buffer.from('6776657273696f6e01', 'hex'),
])

/**
 * The other way to store: our own CAR by `dag/import`, then a path to its root. Between the two nothing keeps the blocks,
 * and the node holds no garbage collection up meanwhile, for it has no root to pin.
 */
export async function importCar(kubo: Kubo, bytes: Buffer, path: string, signal: AbortSignal): Promise<void> {
  let root = ''
  async function* car(): AsyncGenerator<Buffer> {
    yield HEADER
    const nodes: Buffer[] = []
    const dag = new DagBuilder(UNIXFS_V1_2025.maxLinks, (cid, block) => nodes.push(encodeSection(cid, block)))
    for (let at = 0; at < bytes.length; at += UNIXFS_V1_2025.leafBytes) {
      const leaf = bytes.subarray(at, at + UNIXFS_V1_2025.leafBytes)
      const digest = hash('sha256', leaf, 'buffer')
      dag.addLeaf(digest, leaf.length)
      const section = encodeSection(cidOf(RAW, digest), leaf)
      yield section
    }
    root = formatCid(dag.finish())
    yield Buffer.concat(nodes)
  }
  const parameters = { 'pin-roots': false, stats: true }
  await kubo.rpc.send({ command: 'dag/import', parameters }, car(), signal, kubo.writeMs)
  await kubo.mfs.link(`/ipfs/${root}`, path, signal)
  if (!(await kubo.mfs.isWhole(path, bytes.length, signal))) throw new Error('The node has not all of it')
}
