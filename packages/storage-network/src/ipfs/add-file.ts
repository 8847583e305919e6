import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { objectsOf, unlikeKubo } from './answer.ts'
import type { Kubo } from './kubo.ts'

/** The profile `unixfs-v1-2025`, with each option stated. Blocks are not pinned: the path keeps them. */
const PROFILE = {
  'cid-version': 1,
  hash: 'sha2-256',
  chunker: `size-${UNIXFS_V1_2025.leafBytes}`,
  'max-file-links': UNIXFS_V1_2025.maxLinks,
  'raw-leaves': true,
  trickle: false,
  inline: false,
  nocopy: false,
  'wrap-with-directory': false,
  'preserve-mode': false,
  'preserve-mtime': false,
  pin: false,
  progress: false,
}

/** Stores bytes under a path in an existing directory. Returns the ID that the node computed. */
export async function addFile(
  { rpc, writeMs }: Pick<Kubo, 'rpc' | 'writeMs'>,
  pieces: AsyncIterable<Buffer>,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const parameters = { ...PROFILE, 'to-files': path }
  const added = objectsOf(await rpc.send({ command: 'add', parameters }, pieces, signal, writeMs)).at(-1)
  if (typeof added?.Hash !== 'string') throw unlikeKubo()
  return added.Hash
}
