import type { Reference } from '../storage-network.ts'
import { digestOf, parseCid } from '../unixfs/cid.ts'
import { decodeFileNode } from '../unixfs/file-node.ts'
import { hasSidecar } from '../verified/sidecar.ts'
import { readBlock } from './blocks.ts'
import type { Kubo } from './kubo.ts'
import type { Link } from './mfs.ts'
import { copyNamed } from './paths.ts'

/** Every copy there is, in no order. Of one whose root is damaged the size is not known: 0. */
export async function* listReferences(
  { rpc, mfs, paths, owner }: Kubo,
  signal: AbortSignal,
): AsyncGenerator<Reference> {
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

/** MFS keeps no times of what it must not change. */
const UNKNOWN = new Date(0)
