import { hash } from 'node:crypto'
import { CID_BYTES, cidOf, DAG_PB, formatCid, RAW } from './cid.ts'
import { varintLength, writeVarint } from './varint.ts'

export interface DagShape {
  leafBytes: number
  maxLinks: number
}

/** Kubo's profile `unixfs-v1-2025` (IPIP-499). */
export const UNIXFS_V1_2025: DagShape = { leafBytes: 1024 * 1024, maxLinks: 1024 }

/** The blob ID of content with a single leaf, which is its own root; null for longer content. */
export const blobIdOfLeaf = ({ sha256, sizeBytes }: { sha256: string; sizeBytes: number }): string | null =>
  sizeBytes <= UNIXFS_V1_2025.leafBytes ? formatCid(cidOf(RAW, Buffer.from(sha256, 'hex'))) : null

// Maximum lengths of a link with its entry in `blocksizes`, and of the fields that a node has once.
const MAX_LINK_BYTES = 4 + CID_BYTES + 3 + 8 + 1 + 8
const MAX_DATA_HEAD_BYTES = 1 + 8 + 3 + 8

interface Link {
  cid: Buffer
  /** Bytes of the file below this link. */
  contentBytes: number
  /** Bytes of all blocks below this link, called Tsize in dag-pb. */
  dagBytes: number
}

/**
 * Builds a file's balanced tree in constant memory. A single leaf is its own root. Implemented here because the
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

  /** The root's CID. Requires at least one leaf; an empty file is one leaf of 0 bytes. */
  finish(): Buffer {
    for (let level = 0; ; level++) {
      const links = this.#links(level)
      const [only] = links
      if (level === this.#levels.length - 1 && links.length === 1 && only !== undefined) return only.cid
      this.#closeNode(level)
    }
  }

  // A full node is closed only when another link follows, so a tree of exactly `maxLinks` leaves has no further level.
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
      contentBytes: sumOf(links, (link) => link.contentBytes),
      dagBytes: sumOf(links, (link) => link.dagBytes) + block.length,
    })
  }

  #links(level: number): Link[] {
    const links = this.#levels[level] ?? []
    this.#levels[level] = links
    return links
  }
}

/** Length of the block of a node with these links, each repeated `count` times. */
export function fileNodeBytes(links: readonly (Omit<Link, 'cid'> & { count: number })[]): number {
  const sum = (of: (link: Omit<Link, 'cid'>) => number) => links.reduce((all, link) => all + link.count * of(link), 0)
  const dataBytes =
    2 +
    1 +
    varintLength(sum(({ contentBytes }) => contentBytes)) +
    sum(({ contentBytes }) => 1 + varintLength(contentBytes))
  return sum(({ dagBytes }) => 7 + CID_BYTES + varintLength(dagBytes)) + 1 + varintLength(dataBytes) + dataBytes
}

/** dag-pb PBNode: links first, then UnixFS Data { Type = File, filesize, blocksizes }. */
function encodeFileNode(links: Link[]): Buffer {
  const bytes = new ByteWriter(links.length * MAX_LINK_BYTES + MAX_DATA_HEAD_BYTES)
  for (const { cid, dagBytes } of links) {
    // Hash (field 1), Name "" (field 2), Tsize (field 3)
    const linkBytes = 2 + CID_BYTES + 2 + 1 + varintLength(dagBytes)
    bytes.put(0x12, linkBytes, 0x0a, CID_BYTES).putAll(cid).put(0x12, 0x00, 0x18).putVarint(dagBytes)
  }
  const contentBytes = sumOf(links, (link) => link.contentBytes)
  const dataBytes = 2 + 1 + varintLength(contentBytes) + sumOf(links, (link) => 1 + varintLength(link.contentBytes))
  bytes.put(0x0a).putVarint(dataBytes).put(0x08, 0x02, 0x18).putVarint(contentBytes)
  for (const link of links) bytes.put(0x20).putVarint(link.contentBytes)
  return bytes.written()
}

function sumOf(links: Link[], value: (link: Link) => number): number {
  let sum = 0
  for (const link of links) sum += value(link)
  return sum
}

/** Digests of the raw leaves that a dag-pb block of this builder links to, in order. Other links are skipped. */
export function leafDigestsOf(block: Buffer): Buffer[] {
  const digests: Buffer[] = []
  const cidAt = 4
  for (let at = 0; block[at] === 0x12 && at + 1 < block.length; at += 2 + block.readUInt8(at + 1)) {
    if (block[at + cidAt + 1] === RAW) digests.push(block.subarray(at + cidAt + 4, at + cidAt + CID_BYTES))
  }
  return digests
}

class ByteWriter {
  readonly #bytes: Buffer
  #at = 0

  constructor(maxBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(maxBytes)
  }

  put(...bytes: number[]): this {
    for (const byte of bytes) this.#bytes[this.#at++] = byte
    return this
  }

  putAll(bytes: Buffer): this {
    this.#at += bytes.copy(this.#bytes, this.#at)
    return this
  }

  putVarint(value: number): this {
    this.#at = writeVarint(this.#bytes, this.#at, value)
    return this
  }

  written(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }
}
