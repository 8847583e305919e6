import { Readable } from 'node:stream'
import { NetworkError } from '../errors.ts'
import type { ByteRange } from '../storage-network.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { type Entry, readLeaf } from './entry.ts'
import { countLeaves } from './sidecar.ts'

const { leafBytes } = UNIXFS_V1_2025

/**
 * The bytes of an entry, or of a range of it, one verified leaf at a time; it owns the entry and closes it. Its first
 * leaf is read before the stream exists, so damage there is still an error of opening.
 */
export class VerifiedStream extends Readable {
  readonly #entry: Entry
  readonly #range: ByteRange
  #index: number
  #ahead: Buffer | null

  static async open(entry: Entry, range: ByteRange | undefined): Promise<VerifiedStream> {
    const wanted = range ?? { start: 0, end: entry.sizeBytes - 1 }
    try {
      if (range && !(0 <= range.start && range.start <= range.end && range.end < entry.sizeBytes)) {
        throw new NetworkError('refused', 'the range does not lie within the blob')
      }
      const index = Math.floor(wanted.start / leafBytes)
      return new VerifiedStream(entry, wanted, index, await readLeaf(entry, index))
    } catch (error) {
      await entry.handle.close()
      throw error
    }
  }

  private constructor(entry: Entry, range: ByteRange, index: number, first: Buffer) {
    super()
    this.#entry = entry
    this.#range = range
    this.#index = index
    this.#ahead = first
  }

  override _read(): void {
    this.#nextPiece().then(
      (piece) => this.push(piece),
      (error: Error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#entry.handle.close().then(
      () => callback(error),
      (closeError: Error) => callback(error ?? closeError),
    )
  }

  async #nextPiece(): Promise<Buffer | null> {
    const leafStart = this.#index * leafBytes
    if (leafStart > this.#range.end || this.#index >= countLeaves(this.#entry.sizeBytes)) return null
    const leaf = this.#ahead ?? (await readLeaf(this.#entry, this.#index))
    this.#ahead = null
    this.#index++
    return leaf.subarray(Math.max(0, this.#range.start - leafStart), this.#range.end - leafStart + 1)
  }
}
