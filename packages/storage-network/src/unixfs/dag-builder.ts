import { hash } from 'node:crypto'
import { CID_BYTES, cidOf, DAG_PB, RAW } from './cid.ts'
import { encodeVarint } from './varint.ts'

/** How a file is cut into leaves and how wide its tree is. */
export interface DagShape {
  leafBytes: number
  maxLinks: number
}

/** Kubo's profile `unixfs-v1-2025` (IPIP-499). */
export const UNIXFS_V1_2025: DagShape = { leafBytes: 1024 * 1024, maxLinks: 1024 }

interface Link {
  cid: Buffer
  /** Bytes of the file below this link. */
  contentBytes: number
  /** Bytes of all blocks below this link, called Tsize in dag-pb. */
  dagBytes: number
}

/**
 * Builds the balanced tree of a file from its leaves' digests, in order and in constant memory (at most `maxLinks`
 * links per level). All leaves end up at the same depth; a single leaf is its own root. Own code, because the
 * JavaScript libraries write a corrupt root block for files between 2 and 4 GiB.
 */
export class DagBuilder {
  readonly #maxLinks: number
  readonly #onNode: (cid: Buffer, block: Buffer) => void
  readonly #levels: Link[][] = [[]]

  /** `onNode` gets every dag-pb block, children before parents. */
  constructor(maxLinks: number, onNode: (cid: Buffer, block: Buffer) => void) {
    this.#maxLinks = maxLinks
    this.#onNode = onNode
  }

  addLeaf(digest: Uint8Array, sizeBytes: number): void {
    this.#add(0, { cid: cidOf(RAW, digest), contentBytes: sizeBytes, dagBytes: sizeBytes })
  }

  /** The root's CID. At least one leaf must have been added; an empty file is one leaf of 0 bytes. */
  finish(): Buffer {
    for (let level = 0; ; level++) {
      const links = this.#links(level)
      const [only] = links
      if (level === this.#levels.length - 1 && links.length === 1 && only !== undefined) return only.cid
      this.#closeNode(level)
    }
  }

  // A full node is closed only when a link follows it: a tree of exactly `maxLinks` leaves has no further level.
  #add(level: number, link: Link): void {
    if (this.#links(level).length === this.#maxLinks) this.#closeNode(level)
    this.#links(level).push(link)
  }

  #closeNode(level: number): void {
    const links = this.#links(level)
    const block = encodeFileNode(links)
    const cid = cidOf(DAG_PB, hash('sha256', block, 'buffer'))
    this.#onNode(cid, block)
    this.#levels[level] = []
    this.#add(level + 1, {
      cid,
      contentBytes: links.reduce((sum, link) => sum + link.contentBytes, 0),
      dagBytes: links.reduce((sum, link) => sum + link.dagBytes, block.length),
    })
  }

  #links(level: number): Link[] {
    const links = this.#levels[level] ?? []
    this.#levels[level] = links
    return links
  }
}

/** dag-pb PBNode: links first, then UnixFS Data { Type = File, filesize, blocksizes }. */
function encodeFileNode(links: Link[]): Buffer {
  const parts: Buffer[] = []
  const data: Buffer[] = [Buffer.of(0x08, 0x02, 0x18), encodeVarint(links.reduce((sum, l) => sum + l.contentBytes, 0))]
  for (const link of links) {
    const tsize = encodeVarint(link.dagBytes)
    // Hash (field 1), Name "" (field 2), Tsize (field 3)
    const head = Buffer.of(0x12, 2 + CID_BYTES + 2 + 1 + tsize.length, 0x0a, CID_BYTES)
    parts.push(head, link.cid, Buffer.of(0x12, 0x00, 0x18), tsize)
    data.push(Buffer.of(0x20), encodeVarint(link.contentBytes))
  }
  const unixfs = Buffer.concat(data)
  return Buffer.concat([...parts, Buffer.of(0x0a), encodeVarint(unixfs.length), unixfs])
}

/** Digests of the raw leaves that a dag-pb block of this builder links to, in order; what is not one is passed over. */
export function leafDigestsOf(block: Buffer): Buffer[] {
  const digests: Buffer[] = []
  const cidAt = 4
  for (let at = 0; block[at] === 0x12 && at + 1 < block.length; at += 2 + block.readUInt8(at + 1)) {
    if (block[at + cidAt + 1] === RAW) digests.push(block.subarray(at + cidAt + 4, at + cidAt + CID_BYTES))
  }
  return digests
}
