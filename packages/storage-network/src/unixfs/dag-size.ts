import { CID_BYTES } from './cid.ts'
import { type DagShape, fileNodeBytes, UNIXFS_V1_2025 } from './dag-builder.ts'
import { varintLength } from './varint.ts'

/** Size of the tree over a file's leaves; zero if a single leaf is its own root. */
export interface DagSize {
  /** Total length of all blocks. */
  blockBytes: number
  /** The same as a sidecar, which stores a length and a CID before each block. */
  sidecarBytes: number
}

interface Run {
  count: number
  contentBytes: number
  dagBytes: number
}

export function dagSize(sizeBytes: number, { leafBytes, maxLinks }: DagShape = UNIXFS_V1_2025): DagSize {
  const whole = Math.floor(sizeBytes / leafBytes)
  const rest = sizeBytes - whole * leafBytes
  const size: DagSize = { blockBytes: 0, sidecarBytes: 0 }
  let level = [run(whole, leafBytes, leafBytes), run(rest > 0 || whole === 0 ? 1 : 0, rest, rest)]
  while (sumOf(level, () => 1) > 1) {
    const [equal = run(0, 0, 0), last = run(0, 0, 0)] = level
    const left = equal.count % maxLinks
    level = [
      addNodes(size, Math.floor(equal.count / maxLinks), [{ ...equal, count: maxLinks }]),
      addNodes(size, left + last.count > 0 ? 1 : 0, [{ ...equal, count: left }, last]),
    ]
  }
  return size
}

function addNodes(size: DagSize, count: number, links: readonly Run[]): Run {
  const bytes = fileNodeBytes(links)
  size.blockBytes += count * bytes
  size.sidecarBytes += count * (varintLength(CID_BYTES + bytes) + CID_BYTES + bytes)
  const contentBytes = sumOf(links, (link) => link.contentBytes)
  return run(count, contentBytes, sumOf(links, (link) => link.dagBytes) + bytes)
}

const run = (count: number, contentBytes: number, dagBytes: number): Run => ({ count, contentBytes, dagBytes })

const sumOf = (runs: readonly Run[], of: (run: Run) => number): number =>
  runs.reduce((sum, one) => sum + one.count * of(one), 0)
