import { Readable } from 'node:stream'
import { NetworkError } from '../errors.ts'
import type { ByteRange } from '../storage-network.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { type Entry, readLeaf } from './entry.ts'
import { inBackground } from './in-background.ts'
import type { LeafSpaces } from './leaf-spaces.ts'
import { countLeaves, leafSize } from './sidecar.ts'

const { leafBytes } = UNIXFS_V1_2025
/** Small enough for each to be taken by a slow reader before it counts as stalled. */
const PIECE_BYTES = 64 * 1024

/**
 * The bytes of an entry, or of a range of it, every leaf verified before anything of it is given; it owns the entry and
 * closes it. Its first leaf is read before the stream exists, so damage there is still an error of opening; each
 * further one once half of the leaf before has been given.
 */
export class VerifiedStream extends Readable {
  readonly #entry: Entry
  readonly #range: ByteRange
  readonly #spaces: LeafSpaces
  #nextIndex: number
  #left: Buffer
  #ahead: Promise<Buffer> | null = null

  static async open(entry: Entry, range: ByteRange | undefined, spaces: LeafSpaces): Promise<VerifiedStream> {
    const wanted = range ?? { start: 0, end: entry.sizeBytes - 1 }
    try {
      if (range && !(0 <= range.start && range.start <= range.end && range.end < entry.sizeBytes)) {
        throw new NetworkError('refused', 'the range does not lie within the blob')
      }
      const index = Math.floor(wanted.start / leafBytes)
      const first = await readWanted(entry, index, wanted, spaces)
      return new VerifiedStream(entry, wanted, spaces, index + 1, first)
    } catch (error) {
      await entry.file[Symbol.asyncDispose]()
      throw error
    }
  }

  private constructor(entry: Entry, range: ByteRange, spaces: LeafSpaces, nextIndex: number, first: Buffer) {
    super()
    this.#entry = entry
    this.#range = range
    this.#spaces = spaces
    this.#nextIndex = nextIndex
    this.#left = first
  }

  override _read(): void {
    if (this.#left.length > 0) {
      this.#give()
      return
    }
    const next = this.#readAhead()
    if (next === null) {
      this.push(null)
      return
    }
    next.then(
      (leaf) => {
        this.#ahead = null
        this.#left = leaf
        this.#give()
      },
      (error: Error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    // It waits for a read that is under way.
    void this.#entry.file[Symbol.asyncDispose]().then(() => callback(error))
  }

  #give(): void {
    const piece = this.#left.subarray(0, PIECE_BYTES)
    this.#left = this.#left.subarray(PIECE_BYTES)
    if (this.#left.length <= leafBytes / 2) void this.#readAhead()
    this.push(piece)
  }

  /** Null behind the last leaf. */
  #readAhead(): Promise<Buffer> | null {
    const isEnd = this.#nextIndex * leafBytes > this.#range.end || this.#nextIndex >= countLeaves(this.#entry.sizeBytes)
    if (this.#ahead === null && !isEnd) {
      this.#ahead = inBackground(readWanted(this.#entry, this.#nextIndex, this.#range, this.#spaces))
      this.#nextIndex++
    }
    return this.#ahead
  }
}

/** What the range wants of a leaf; a small part does not keep the whole leaf in memory. */
async function readWanted(entry: Entry, index: number, range: ByteRange, spaces: LeafSpaces): Promise<Buffer> {
  const leafStart = index * leafBytes
  const start = Math.max(0, range.start - leafStart)
  const end = Math.min(range.end - leafStart + 1, leafSize(index, entry.sizeBytes))
  if ((end - start) * 2 >= leafSize(index, entry.sizeBytes)) return (await readLeaf(entry, index)).subarray(start, end)
  const space = spaces.take()
  const part = Buffer.from((await readLeaf(entry, index, space)).subarray(start, end))
  // Not where reading failed: a read that was given up may still write there.
  spaces.giveBack(space)
  return part
}
