import { addAbortSignal, Readable } from 'node:stream'
import { NetworkError } from '../errors.ts'
import type { ByteRange } from '../storage-network.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { type Entry, readLeaf } from './entry.ts'
import { inBackground } from './in-background.ts'
import type { LeafCache } from './leaf-cache.ts'
import { countLeaves, leafSize } from './sidecar.ts'

const { leafBytes } = UNIXFS_V1_2025
/** Small enough that a slow reader takes each piece before the reader counts as stalled. */
const PIECE_BYTES = 64 * 1024

/**
 * Verifies every leaf before it returns any of its bytes. Owns and closes the entry. Reads the first leaf before the
 * stream exists, so damage there is an error of `open`.
 */
export class VerifiedStream extends Readable {
  readonly #entry: Entry
  readonly #range: ByteRange
  readonly #leaves: LeafCache | null
  #nextIndex: number
  #left: Buffer
  #ahead: Promise<Buffer> | null = null

  static async open(entry: Entry, range: ByteRange | undefined, leaves: LeafCache | null): Promise<VerifiedStream> {
    const wanted = range ?? { start: 0, end: entry.sizeBytes - 1 }
    try {
      if (range && !(0 <= range.start && range.start <= range.end && range.end < entry.sizeBytes)) {
        // Only the bytes of a single leaf prove its size.
        if (countLeaves(entry.sizeBytes) === 1) await readLeaf(entry, 0)
        throw outOfRange()
      }
      const index = Math.floor(wanted.start / leafBytes)
      const first = await readWanted(entry, index, wanted, leaves)
      return new VerifiedStream(entry, wanted, leaves, index + 1, first)
    } catch (error) {
      await entry.file[Symbol.asyncDispose]()
      throw error
    }
  }

  private constructor(entry: Entry, range: ByteRange, leaves: LeafCache | null, nextIndex: number, first: Buffer) {
    super()
    this.#entry = entry
    this.#range = range
    this.#leaves = leaves
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
    // Closing waits for a running read.
    void this.#entry.file[Symbol.asyncDispose]().then(() => callback(error))
  }

  #give(): void {
    const piece = this.#left.subarray(0, PIECE_BYTES)
    this.#left = this.#left.subarray(PIECE_BYTES)
    if (this.#left.length <= leafBytes / 2) void this.#readAhead()
    this.push(piece)
  }

  #readAhead(): Promise<Buffer> | null {
    const isEnd = this.#nextIndex * leafBytes > this.#range.end || this.#nextIndex >= countLeaves(this.#entry.sizeBytes)
    if (this.#ahead === null && !isEnd) {
      this.#ahead = inBackground(readWanted(this.#entry, this.#nextIndex, this.#range, this.#leaves))
      this.#nextIndex++
    }
    return this.#ahead
  }
}

export function outOfRange(): NetworkError {
  return new NetworkError('refused', 'the range is outside the blob')
}

/**
 * The wanted part of a leaf, in a buffer of its own. A leaf of which the range wants less than half is cached, because
 * the next range may want more of it.
 */
async function readWanted(entry: Entry, index: number, range: ByteRange, leaves: LeafCache | null): Promise<Buffer> {
  const leafStart = index * leafBytes
  const start = Math.max(0, range.start - leafStart)
  const end = Math.min(range.end - leafStart + 1, leafSize(index, entry.sizeBytes))
  if (leaves === null || (end - start) * 2 >= leafSize(index, entry.sizeBytes))
    return (await readLeaf(entry, index)).subarray(start, end)
  return await leaves.use(
    `${entry.name}/${index}`,
    (space) => readLeaf(entry, index, space),
    (leaf) => {
      const part = Buffer.allocUnsafeSlow(end - start)
      leaf.copy(part, 0, start, end)
      return part
    },
  )
}

/**
 * Binds a stream to the signal. If the signal aborted while the stream opened, the stream is destroyed without an
 * error, which would have no listener.
 */
export function handOver<S extends Readable>(stream: S, signal: AbortSignal): S {
  if (signal.aborted) stream.destroy()
  signal.throwIfAborted()
  return addAbortSignal(signal, stream)
}
