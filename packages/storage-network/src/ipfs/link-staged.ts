import { NetworkError } from '../errors.ts'
import type { Kubo } from './kubo.ts'
import { entryOf } from './paths.ts'

/**
 * Makes staged bytes a copy: its path points to them, in place of what was there, once they are all seen to be on the
 * node. @throws NetworkError `staged_lost` when they are not
 */
export async function linkStaged(
  { mfs, owner, paths }: Kubo,
  staged: string,
  copy: { blobId: string; reference: string; sizeBytes: number },
  signal: AbortSignal,
): Promise<void> {
  const isWhole = await mfs.isWhole(staged, copy.sizeBytes, signal)
  const isLinked = isWhole && (await mfs.link(staged, `${paths.shardOf(copy.blobId)}/${entryOf(copy)}`, signal))
  if (!isLinked) {
    await owner.check(signal)
    throw new NetworkError('staged_lost', 'the staged bytes are not there any more')
  }
  await mfs.remove(staged, signal).catch(() => undefined) // the sweep takes what stays
}
